export { type Detector, detectors, isSecretName } from "./detectors.js";
export {
  createRedactor,
  type Found,
  type Redactor,
  type RedactorOptions,
  type Secret,
  type SecretPattern,
} from "./redactor.js";
