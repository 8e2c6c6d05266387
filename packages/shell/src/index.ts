export { type AnalyseOptions, analyse } from "./analyse.js";
export {
  type Analysis,
  type Assignment,
  type Code,
  DEFAULT_LIMITS,
  type Language,
  type Limits,
  type Reason,
  type Recursion,
  type Redirection,
  type SimpleCommand,
  type Stdin,
  upstreamOf,
} from "./analysis.js";
export { type Find, readFind } from "./found.js";
export { type GivenOption, type OptionSpec, type ParsedOptions, readOptions } from "./options.js";
export { componentsOf, isAbsolute, resolvePath } from "./path.js";
export {
  isOpaque,
  literal,
  type Piece,
  producersOf,
  render,
  startOf,
  type Unknown,
  type Word,
  wordOf,
} from "./word.js";
