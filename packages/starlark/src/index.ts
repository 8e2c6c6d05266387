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
export {
  defineFunction,
  defineModule,
  defineValue,
  type ParameterKind,
  type Parameters,
  type Unpacked,
} from "./host.js";
export { json } from "./json-module.js";
export {
  compileExpression,
  type Expression,
  type ExpressionOptions,
  type LoadPort,
  Module,
  type Predeclared,
  Program,
  type ProgramOptions,
  type Result,
} from "./program.js";
export { re } from "./re-module.js";
export { repr, toText } from "./text.js";
export { type Budget, DEFAULT_BUDGET, type RunOptions, type Signal, Thread } from "./thread.js";
export { Builtin, parameters } from "./unpack.js";
export {
  Bytes,
  type Callable,
  Dict,
  Float,
  freeze,
  isTrue,
  List,
  Namespace,
  Range,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values.js";
