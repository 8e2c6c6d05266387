export { compileGlobs, type GlobOptions, type Globs, isInside } from "./globs.js";
export { foldPath } from "./names.js";
export { filesOfPatch } from "./patch.js";
export { type Located, type Look, locate, lookOnce, resolveReal, type Surroundings } from "./resolve.js";
export { type ShellOptions, usesOfShell } from "./shell.js";
export { type CallOptions, shellTextOf, type ToolCall, usesOfCall } from "./tools.js";
export type { PathUse, Unclear, Uses } from "./use.js";
export { expandBraces, hasWildcard } from "./wildcard.js";
