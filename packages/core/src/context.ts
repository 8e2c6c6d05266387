import { type HarnError, HookContractError } from "./errors.js";
import type { SessionRef } from "./events.js";
import type { HookRef } from "./tape.js";

/** What a handler gets beside the payload. */
export interface HookContext {
  readonly hook: HookRef;
  /** The options its declaration gives it. */
  readonly options: unknown;
  /** The directory of the project the hook works for, for paths in its options; null for a hook of code that names none. */
  readonly project: string | null;
  /** Whose event it is. */
  readonly session: SessionRef;
  /** Aborted when the handler's deadline has passed. */
  readonly signal: AbortSignal;
}

/** The context of one call; its signal exists once somebody looks at it. */
export class CallContext implements HookContext {
  private controller: AbortController | null = null;

  constructor(
    private readonly of: HookContext,
    readonly session: SessionRef,
  ) {}

  get hook(): HookRef {
    return this.of.hook;
  }

  get options(): unknown {
    return this.of.options;
  }

  get project(): string | null {
    return this.of.project;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  abort(error: HarnError): void {
    this.controller ??= new AbortController();
    this.controller.abort(error);
  }
}

/**
 * The part of a context that is the same for every call. Handlers that declare no second parameter get this and
 * nothing is allocated for them; one that reaches its context in another way, by a default or a rest parameter, is told
 * why it finds no session and no signal.
 */
export class HookIdentity implements HookContext {
  constructor(
    readonly hook: HookRef,
    readonly options: unknown,
    readonly project: string | null,
  ) {}

  get session(): SessionRef {
    throw undeclared("session");
  }

  get signal(): AbortSignal {
    throw undeclared("signal");
  }
}

function undeclared(what: string): HookContractError {
  return new HookContractError(
    `the ${what} belongs to a context that is declared`,
    "Declare the context as a plain second parameter: (payload, context) => ...",
  );
}
