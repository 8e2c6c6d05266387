/** Where something is in a source; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One call of a traceback, the innermost last. */
export interface Call {
  readonly name: string;
  readonly position: Position;
}

/** Anything a Starlark program can be wrong about. What is not one of these is a defect of the interpreter. */
export abstract class StarlarkError extends Error {
  constructor(
    message: string,
    readonly position: Position,
  ) {
    super(message);
  }
}

/** The source is not Starlark. */
export class StarlarkSyntaxError extends StarlarkError {
  override readonly name = "StarlarkSyntaxError";
}

/** A name means nothing, or a statement stands where it may not. */
export class StarlarkResolveError extends StarlarkError {
  override readonly name = "StarlarkResolveError";
}

/** A program failed while it ran. */
export class StarlarkEvalError extends StarlarkError {
  override readonly name: string = "StarlarkEvalError";

  constructor(
    message: string,
    position: Position,
    readonly calls: readonly Call[] = [],
  ) {
    super(message, position);
  }

  /** The calls that led here, the way Starlark prints them. */
  get traceback(): string {
    const lines = this.calls.map(
      ({ name, position: { file, line, column } }) => `  ${file}:${line}:${column}: in ${name}`,
    );
    return ["Traceback (most recent call last):", ...lines, `Error: ${this.message}`].join("\n");
  }
}

/** A program used up what it was given of steps, memory or depth, or was told to stop. */
export class StarlarkBudgetError extends StarlarkEvalError {
  override readonly name = "StarlarkBudgetError";

  constructor(
    readonly resource: "steps" | "memory" | "depth" | "cancelled",
    message: string,
    position: Position,
    calls: readonly Call[] = [],
  ) {
    super(message, position, calls);
  }
}
