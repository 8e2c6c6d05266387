export type { Content } from "./content.js";
export { API_VERSION, type Description } from "./description.js";
export { type Locate, placesOf } from "./document.js";
export { findManifest } from "./find.js";
export { type Loaded, type LoadOptions, loadHarness, type ManifestHarness, type ReloadResult } from "./harness.js";
export { type Lintable, lintStack } from "./lint.js";
export { type FindOptions, type LoadResult, loadStack, type Stack } from "./load.js";
export { type Downgrade, formatLock, type LockedPackage, type Seen } from "./lock.js";
export { type LockOptions, makeLock, type NewLock } from "./make-lock.js";
export { findManaged } from "./managed.js";
export { createRun, type LogEntry, type Metrics, type Run, type Store } from "./markdown/run.js";
export { type PackContents, readPack } from "./pack-contents.js";
export { type BrokenPackage, type InstalledPackage, Packages } from "./packages.js";
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
export { readContent, readSupplyRules } from "./read-content.js";
export type { Registrar, Registration, ToolRegistration } from "./registrar.js";
export { type SupplyRules, supplyProblem } from "./registries.js";
export { type HookEntry, type Manifest, manifestSchema, toJsonSchema } from "./schema.js";
export { keysOf, parseToml, parseTree, TomlError, type TomlTree } from "./toml.js";
export { type TrustRecord, TrustStore } from "./trust-store.js";
export { isWithin, RUNTIME_VERSION } from "./versions.js";
