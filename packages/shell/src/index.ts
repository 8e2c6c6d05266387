export { type AnalyseOptions, analyse, analyseWords } from "./analyse.js";
export {
  type Analysis,
  type Assignment,
  type Code,
  type CodeCall,
  DEFAULT_LIMITS,
  type Language,
  type Limits,
  type Mount,
  type Reason,
  type Recursion,
  type Redirection,
  type SimpleCommand,
  type Stdin,
} from "./analysis.js";
export { type Find, foundBy, readFind } from "./found.js";
export { type GivenOption, type OptionSpec, type ParsedOptions, readOptions } from "./options.js";
export { componentsOf, isAbsolute, resolvePath } from "./path.js";
export {
  bounded,
  dropStart,
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
