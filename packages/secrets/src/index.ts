export { type Detector, detectors } from "./detectors.js";
export { createRedactor, type Found, type Redactor, type RedactorOptions, type SecretPattern } from "./redactor.js";
