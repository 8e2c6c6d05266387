import { dirname, resolve } from "node:path";
import {
  block,
  catalogueNames,
  createHarness,
  type EventName,
  HarnError,
  type Harness,
  type HarnessOptions,
  isGate,
  type Json,
  type MaybePromise,
  type Outcome,
  type Payload,
  type PayloadInput,
  type SessionRef,
  specOf,
  systemPorts,
  type Unregister,
} from "@hooks/core";
import { type FindOptions, type LoadResult, loadStack, type Stack } from "./load.js";
import { createRun, type Run } from "./markdown/run.js";
import { compileWhen } from "./markdown/script.js";
import { type Problem, renderProblems } from "./problem.js";
import { type Registrar, registrar } from "./registrar.js";

export interface LoadOptions extends FindOptions {
  /** Ports, tape and limits of the harness; `[policy] strict` of the manifest and this one's are combined. */
  readonly harness?: HarnessOptions;
}

/** A harness whose stack comes from a manifest. Hooks registered in code join the same stack. */
export interface ManifestHarness extends Harness, Registrar, Run {
  /** The manifest it was loaded from; null when there is none. */
  readonly manifest: string | null;
  /** Which policy this is: the SHA-256 of the manifest and the hooks it was resolved to. For the head of a tape. */
  readonly digest: string;
  /** Loads the manifest again and swaps the stack in one step; a broken manifest leaves the last good one in place. */
  reload(): Promise<ReloadResult>;
  /** Lets the workers of its hooks go. The hooks stay: those that ran in a worker fault from now on, and gates block. */
  close(): void;
}

export type ReloadResult =
  | { readonly ok: true; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly message: string };

/** What `loadHarness` ends with. Whoever uses the harness without looking is safe: a broken one blocks every gate. */
export type Loaded =
  | { readonly ok: true; readonly harness: ManifestHarness; readonly warnings: readonly Problem[] }
  | {
      readonly ok: false;
      readonly harness: Harness;
      readonly problems: readonly Problem[];
      /** All problems, printed with the lines they are on. */
      readonly message: string;
    };

/**
 * From a directory to a bound stack.
 *
 * @example
 * const loaded = await loadHarness({ cwd: process.cwd() });
 * if (!loaded.ok) console.error(loaded.message);
 * const outcome = await loaded.harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: "ls" } } });
 */
export async function loadHarness(options: LoadOptions = {}): Promise<Loaded> {
  // What belongs to no session belongs to the harness's own.
  const run = options.run ?? createRun(options.harness?.session?.id);
  const result = await loadStack({ ...options, run });
  if (!result.ok) return refuse(result, options.harness);
  return { ok: true, harness: manifestHarness(result, options), warnings: result.stack.warnings };
}

function manifestHarness(first: LoadResult & { ok: true }, options: LoadOptions): ManifestHarness {
  const gate = registrar();
  const harness = createHarness({ when: whenPort, ...options.harness, admit: gate.admit });
  gate.guard(harness);
  const { warn } = { ...systemPorts(), ...options.harness?.ports };
  const cwd = resolve(options.cwd ?? process.cwd());
  let isManifestStrict = false;
  let { stack } = first;
  let installed = use(stack);
  let lease = new Lease(stack);
  let reloads = 0;
  let isClosed = false;

  function use(next: Stack, replaces?: Unregister): Unregister {
    // What the host has set since stays set.
    const isHostStrict = harness.strict && !isManifestStrict;
    isManifestStrict = next.strict && !isHostStrict;
    harness.strict = isHostStrict || next.strict;
    harness.policy = next.digest;
    // What the files of a policy declare is the policy itself, and asks nobody.
    const project = next.manifest === null ? undefined : dirname(next.manifest);
    const hooks = next.hooks.map((hook) => ({ project, ...hook }));
    return gate.unasked(() => harness.install(hooks, replaces));
  }

  const { prepare, dispatch } = harness;
  const own = {
    ...gate.methods,
    ...stack.run,
    // What hooks logged since the last turn ended goes out with the end of this one.
    prepare<const E extends EventName>(event: E, payload: PayloadInput<E>): Payload<E> {
      const prepared = prepare(event, payload);
      if (event !== "TurnEnd") return prepared;
      const logs = stack.run.store(sessionOf(prepared)).logs.take();
      if (logs.length === 0) return prepared;
      const { logs: given = [] } = payload as { logs?: readonly object[] };
      return prepare(event, { ...payload, logs: [...given, ...logs] });
    },
    fire<const E extends EventName>(event: E, payload: PayloadInput<E>): MaybePromise<Outcome<E>> {
      return own.dispatch(own.prepare(event, payload));
    },
    dispatch<E extends EventName>(payload: Payload<E>): MaybePromise<Outcome<E>> {
      const outcome = lease.during(() => dispatch(payload));
      if (payload.event !== "SessionEnd") return outcome;
      const end = () => stack.run.end(sessionOf(payload));
      if (outcome instanceof Promise) return outcome.finally(end);
      end();
      return outcome;
    },
    get manifest() {
      return stack.manifest;
    },
    get digest() {
      return stack.digest;
    },
    async reload(): Promise<ReloadResult> {
      const mine = ++reloads;
      // The manifest it has, also when the working directory has changed since; none yet: whatever is there by now.
      const result = await loadStack(
        { ...options, cwd, run: stack.run, ...(stack.manifest === null ? {} : { manifest: stack.manifest }) },
        true,
      );
      if (!result.ok) {
        const message = renderProblems(result.problems, result.text);
        warn({ event: "reload", hook: result.manifest, message: `kept the last good stack\n${message}` });
        return { ok: false, problems: result.problems, message };
      }
      // Of two reloads at once the later one counts, whichever is done first.
      if (mine !== reloads || isClosed) {
        result.stack.close();
        return { ok: true, warnings: result.stack.warnings };
      }
      stack = result.stack;
      installed = use(stack, installed);
      lease.end();
      lease = new Lease(stack);
      return { ok: true, warnings: stack.warnings };
    },
    close() {
      isClosed = true;
      stack.close();
    },
  };
  return Object.defineProperties(harness, Object.getOwnPropertyDescriptors(own)) as ManifestHarness;
}

function sessionOf(payload: object): SessionRef {
  return (payload as { session: SessionRef }).session;
}

function whenPort(expression: string): (view: Json, event: string) => boolean {
  const compiled = compileWhen(expression);
  if (typeof compiled === "function") return compiled;
  throw new HarnError(
    "HARN_E_WHEN",
    `when: ${compiled.message}`,
    "It sees payload, event and the language's built-ins.",
  );
}

/** Keeps the workers of a stack for the dispatches that began with it: a reload must not take them from under one. */
class Lease {
  private underWay = 0;
  private isOver = false;

  constructor(private readonly stack: Stack) {}

  during<T>(dispatch: () => MaybePromise<T>): MaybePromise<T> {
    this.underWay++;
    let result: MaybePromise<T> | undefined;
    try {
      result = dispatch();
    } finally {
      if (result instanceof Promise) result = result.finally(() => this.release());
      else this.release();
    }
    return result;
  }

  end(): void {
    this.isOver = true;
    this.closeIfDone();
  }

  private release(): void {
    this.underWay--;
    this.closeIfDone();
  }

  private closeIfDone(): void {
    if (this.isOver && this.underWay === 0) this.stack.close();
  }
}

/** A manifest that does not load never means "no hooks": this harness answers every gate with a block. */
function refuse(result: LoadResult & { ok: false }, options: HarnessOptions = {}): Loaded {
  const { problems } = result;
  const errors = problems.filter(({ severity }) => severity === "error");
  const { code, message, place, help } =
    errors.find(({ code }) => code === "HARN_E_UNTRUSTED") ?? errors[0] ?? (problems[0] as Problem);
  const remedy = code === "HARN_E_UNTRUSTED" ? `: ${help}` : "";
  const reason = `the policy did not load: ${message} (${place.file}:${place.line}:${place.column})${remedy}`;
  const harness = createHarness(options);
  const { dispatch } = harness;
  const gates = new Set<EventName>();
  const guard = (event: EventName) => {
    if (gates.has(event) || !isGate(specOf(event, "fire"))) return;
    gates.add(event);
    const handler = () => block(reason);
    harness.install([
      {
        event,
        rank: 0,
        priority: Number.MIN_SAFE_INTEGER,
        handlerName: "harn.toml",
        id: `harn.toml: ${event}`,
        handler,
      },
    ]);
  };
  for (const name of catalogueNames) if (!name.endsWith(".*")) guard(name as EventName);
  // Events of one's own have no end of names: each is guarded when it is first fired.
  harness.dispatch = (payload) => {
    guard(payload.event);
    return dispatch(payload);
  };
  harness.fire = (event, payload) => harness.dispatch(harness.prepare(event, payload));
  return { ok: false, problems, message: renderProblems(problems, result.text), harness };
}
