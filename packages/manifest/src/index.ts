export { API_VERSION, type Description } from "./description.js";
export { type Locate, placesOf } from "./document.js";
export { findManifest } from "./find.js";
export { type Loaded, type LoadOptions, loadHarness, type ManifestHarness, type ReloadResult } from "./harness.js";
export { type Lintable, lintStack } from "./lint.js";
export { type FindOptions, type LoadResult, loadStack, type Stack } from "./load.js";
export { createRun, type LogEntry, type Run } from "./markdown/run.js";
export {
  lintCodes,
  type Place,
  type Problem,
  type ProblemCode,
  problemCodes,
  renderProblem,
  renderProblems,
  type Texts,
} from "./problem.js";
export type { Registrar, Registration, ToolRegistration } from "./registrar.js";
export { type HookEntry, type Manifest, manifestSchema, toJsonSchema } from "./schema.js";
export { parseToml, TomlError } from "./toml.js";
export { RUNTIME_VERSION } from "./versions.js";
