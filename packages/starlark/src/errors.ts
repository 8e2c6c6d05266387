/** Where something is in a source; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A source text and what it is called. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** One call of a traceback, the innermost last. */
export interface Call {
  readonly name: string;
  readonly position: Position;
}

export type StarlarkErrorCode =
  | "STARLARK_E_SYNTAX"
  | "STARLARK_E_RESOLVE"
  | "STARLARK_E_EVAL"
  | "STARLARK_E_STEPS"
  | "STARLARK_E_MEMORY"
  | "STARLARK_E_DEPTH"
  | "STARLARK_E_CANCELLED"
  | "STARLARK_E_CONVERSION";

/** Anything a Starlark program can be wrong about. What is not one of these is a defect of the interpreter. */
export abstract class StarlarkError extends Error {
  abstract readonly code: StarlarkErrorCode;
  readonly file: string;
  readonly line: number;
  readonly column: number;

  constructor(
    message: string,
    readonly position: Position,
    protected readonly source?: string,
  ) {
    super(message);
    this.file = position.file;
    this.line = position.line;
    this.column = position.column;
  }

  /** The line it is about, with a mark below the column; empty where the source is not known. */
  get frame(): string {
    const text = this.source?.split(/\r?\n/)[this.line - 1];
    if (text === undefined) return "";
    const number = String(this.line);
    // Tabs stay tabs below the line, so that the mark stands where the column is.
    const indent = text.slice(0, this.column - 1).replace(/[^\t]/g, " ");
    return `${number} | ${text}\n${" ".repeat(number.length)} | ${indent}^`;
  }

  /** The whole of it for a person: what happened, where, and the calls that led there. */
  get report(): string {
    const frame = this.frame === "" ? "" : `\n${this.frame}`;
    return `${this.file}:${this.line}:${this.column}: ${this.message}${frame}`;
  }
}

/** The source is not Starlark. */
export class StarlarkSyntaxError extends StarlarkError {
  override readonly name = "StarlarkSyntaxError";
  readonly code = "STARLARK_E_SYNTAX";
}

/** A name means nothing, or a statement stands where it may not. */
export class StarlarkResolveError extends StarlarkError {
  override readonly name = "StarlarkResolveError";
  readonly code = "STARLARK_E_RESOLVE";
}

/** What a run had used when it failed. */
export interface Usage {
  readonly steps: number;
  readonly memory: number;
}

const NOTHING: Usage = { steps: 0, memory: 0 };

/** A program failed while it ran. */
export class StarlarkEvalError extends StarlarkError {
  override readonly name: string = "StarlarkEvalError";
  readonly code: StarlarkErrorCode = "STARLARK_E_EVAL";

  constructor(
    message: string,
    position: Position,
    readonly calls: readonly Call[] = [],
    readonly usage: Usage = NOTHING,
    source?: string,
  ) {
    super(message, position, source);
  }

  /** The same failure, said to be that of a built-in. */
  within(name: string): StarlarkEvalError {
    return new StarlarkEvalError(
      `Error in ${name}: ${this.message}`,
      this.position,
      this.calls,
      this.usage,
      this.source,
    );
  }

  /** The calls that led here, the way Starlark prints them. */
  get traceback(): string {
    const lines = this.calls.map(
      ({ name, position: { file, line, column } }) => `  ${file}:${line}:${column}: in ${name}`,
    );
    return ["Traceback (most recent call last):", ...lines, `Error: ${this.message}`].join("\n");
  }

  override get report(): string {
    return this.frame === "" ? this.traceback : `${this.traceback}\n${this.frame}`;
  }
}

const BUDGET_CODES = {
  steps: "STARLARK_E_STEPS",
  memory: "STARLARK_E_MEMORY",
  depth: "STARLARK_E_DEPTH",
  cancelled: "STARLARK_E_CANCELLED",
} as const;

/** A program used up what it was given of steps, memory or depth, or was told to stop. */
export class StarlarkBudgetError extends StarlarkEvalError {
  override readonly name = "StarlarkBudgetError";
  override readonly code: StarlarkErrorCode;

  constructor(
    readonly resource: keyof typeof BUDGET_CODES,
    message: string,
    position: Position,
    calls: readonly Call[] = [],
    usage: Usage = NOTHING,
    source?: string,
  ) {
    super(message, position, calls, usage, source);
    this.code = BUDGET_CODES[resource];
  }
}

/** A value has no counterpart on the other side of the border between Starlark and JSON. */
export class StarlarkConversionError extends StarlarkError {
  override readonly name = "StarlarkConversionError";
  readonly code = "STARLARK_E_CONVERSION";

  constructor(
    message: string,
    /** Where in the value it is: `$.tool.args[2]`. */
    readonly path: string,
  ) {
    super(`${path}: ${message}`, { file: "<value>", line: 1, column: 1 });
  }
}
