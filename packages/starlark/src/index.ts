export { type FromJsonOptions, fromJson, type Json, type ToJsonOptions, toJson } from "./conversion.js";
export {
  type Call,
  type Position,
  StarlarkBudgetError,
  StarlarkConversionError,
  StarlarkError,
  type StarlarkErrorCode,
  StarlarkEvalError,
  StarlarkResolveError,
  StarlarkSyntaxError,
  type Usage,
} from "./errors.js";
export { type Budget, DEFAULT_BUDGET, type RunOptions, type Signal, Thread } from "./evaluator/thread.js";
export { compileExpression, type Expression, type ExpressionOptions } from "./expression.js";
export {
  defineFunction,
  defineModule,
  defineValue,
  type ParameterKind,
  type Parameters,
  type Unpacked,
} from "./host.js";
export { Builtin } from "./library/builtin.js";
export { json } from "./library/json-module.js";
export { type Groups, PatternSearch } from "./library/pattern-search.js";
export { re } from "./library/re-module.js";
export { parameters } from "./library/signature.js";
export type { Predeclared } from "./predeclared.js";
export {
  type LoadPort,
  Module,
  Program,
  type ProgramOptions,
  type Result,
} from "./program.js";
export { parseFile as parse } from "./syntax/parser.js";
export { printFile as print } from "./syntax/printer.js";
export type { Statement } from "./syntax/tree.js";
export { freeze } from "./values/freeze.js";
export { repr, toText } from "./values/repr.js";
export {
  Bytes,
  type Callable,
  Dict,
  Elems,
  Float,
  isTrue,
  List,
  Namespace,
  Range,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values/values.js";
