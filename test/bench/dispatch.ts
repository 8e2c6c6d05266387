import { createHarness, type Harness, type Payload } from "@hooks/core";
import { createHooks } from "hookable";
import { AsyncSeriesBailHook, SyncBailHook } from "tapable";
import { compare, report } from "./measure.js";

type Sync = (payload: Payload<"PreToolUse">) => { deny: string } | undefined;
type Async = (payload: Payload<"PreToolUse">) => Promise<{ deny: string } | undefined>;

const COMMAND = "cd packages/core && npm run build -- --watch=false 2>&1 | tee build.log && git status --short";
const bash = { tool: { name: "Bash", args: { command: COMMAND } } };
const payload = createHarness().prepare("PreToolUse", bash);

// Each handler is a function of its own, as it is in a real stack: one function in a loop would be inlined away.
const trivial = (n: number) =>
  Array.from(
    { length: n },
    (_, i) => new Function("p", `return p.tool.name === "x${i}" ? { deny: "no" } : undefined`) as Sync,
  );
const trivialAsync = (n: number) =>
  Array.from(
    { length: n },
    (_, i) => new Function(`return async (p) => p.tool.name === "x${i}" ? { deny: "no" } : undefined`)() as Async,
  );
const GUARDS = [
  /(?:^|[;&|]\s*)(?:sudo\s+)?rm\s+(?:-[a-z]+\s+)*-[a-z]*[rf][a-z]*\s+(?:\/|~|\$HOME)/i,
  /(?:^|[;&|]\s*)git\s+push\s+.*(?:--force\b|-f\b)/i,
  /(?:^|[;&|]\s*)(?:sudo\s+)?(?:mkfs(?:\.\w+)?|wipefs|fdisk)\b/i,
  /(?:^|[;&|]\s*)(?:sudo\s+)?dd\s+.*\b[io]f=\/dev\//i,
  /(?:^|[;&|]\s*)(?:sudo\s+)?(?:shutdown|reboot|halt|poweroff)\b/i,
  /(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/i,
  /(?:^|[;&|]\s*)chmod\s+(?:-R\s+)?0?777\b/i,
];
const guards: Sync[] = GUARDS.map(
  (guard) =>
    ({ tool }) =>
      guard.test(tool.args.command as string) ? { deny: "no" } : undefined,
);

function harnessOf(handlers: readonly (Sync | Async)[], options: { timing: boolean; pattern?: string }): Harness {
  const harness = createHarness({ timing: options.timing });
  const { pattern = "*" } = options;
  for (const handler of handlers) harness.register({ event: "PreToolUse", pattern, handler });
  return harness;
}

function bareLoop(handlers: readonly Sync[]) {
  return () => {
    for (let i = 0; i < handlers.length; i++) {
      const returned = (handlers[i] as Sync)(payload);
      if (returned !== undefined) return returned;
    }
    return undefined;
  };
}

function caughtLoop(handlers: readonly Sync[]) {
  return () => {
    for (let i = 0; i < handlers.length; i++) {
      try {
        const returned = (handlers[i] as Sync)(payload);
        if (returned !== undefined) return returned;
      } catch (error) {
        return { deny: String(error) };
      }
    }
    return undefined;
  };
}

function awaitLoop(handlers: readonly Async[]) {
  return async () => {
    for (const handler of handlers) {
      const returned = await handler(payload);
      if (returned !== undefined) return returned;
    }
    return undefined;
  };
}

function hookableOf(handlers: readonly (Sync | Async)[]) {
  const hooks = createHooks<{ pre: (p: unknown) => void }>();
  for (const handler of handlers) hooks.hook("pre", handler as never);
  return () => hooks.callHook("pre", payload);
}

function tapableOf(handlers: readonly Sync[]) {
  const hook = new SyncBailHook<[typeof payload], unknown>(["payload"]);
  for (const [i, handler] of handlers.entries()) hook.tap(`h${i}`, handler as never);
  return () => hook.call(payload as never);
}

function tapableAsyncOf(handlers: readonly Async[]) {
  const hook = new AsyncSeriesBailHook<[typeof payload], unknown>(["payload"]);
  for (const [i, handler] of handlers.entries()) hook.tapPromise(`h${i}`, handler as never);
  return () => hook.promise(payload);
}

const sections: Record<string, () => Promise<void>> = {
  async sync() {
    for (const n of [1, 7, 50]) {
      const handlers = trivial(n);
      const harness = harnessOf(handlers, { timing: false });
      const rows = await compare({
        "bare loop with bail": bareLoop(handlers),
        harn: () => harness.dispatch(payload),
        tapable: tapableOf(handlers),
        hookable: hookableOf(handlers),
      });
      report(`${n} sync hooks, trivial handlers`, rows, n === 7 ? { harn: "<= 2x" } : {});
    }
  },
  async async() {
    for (const n of [1, 7, 50]) {
      const handlers = trivialAsync(n);
      const harness = harnessOf(handlers, { timing: false });
      const rows = await compare({
        "await each": awaitLoop(handlers),
        harn: () => harness.dispatch(payload),
        tapable: tapableAsyncOf(handlers),
        hookable: hookableOf(handlers),
      });
      report(`${n} async hooks`, rows, n === 7 ? { harn: "<= 1.3x" } : {});
    }
  },
  async kernel() {
    const harness = harnessOf(guards, { timing: true, pattern: "Ba*" });
    const rows = await compare({
      "bare loop with try/catch": caughtLoop(guards),
      "harn: route, match, catch, trace, durations": () => harness.dispatch(payload),
      "harn: the border too (copy, schema)": () => harness.fire("PreToolUse", bash),
    });
    report("7 regex guards, the whole kernel", rows, { "harn: route, match, catch, trace, durations": "<= 2x" });
  },
  async growth() {
    const handlers = trivial(7);
    const contestants: Record<string, () => unknown> = {};
    for (const registered of [7, 100, 1_000, 10_000]) {
      const harness = harnessOf(handlers, { timing: false, pattern: "Bash" });
      for (let i = 7; i < registered; i++) {
        harness.register({ event: "PreToolUse", pattern: `Other${i}`, handler: () => undefined });
      }
      contestants[`${registered} registered, 7 match`] = () => harness.dispatch(payload);
    }
    report("growth with hooks that do not match", await compare(contestants), {
      "10000 registered, 7 match": "flat (< 20 ns for each that does not match)",
    });
  },
};

const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries(sections)) if (wanted.length === 0 || wanted.includes(name)) await run();
