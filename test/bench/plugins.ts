import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit } from "@hooks/audit";
import { createHarness } from "@hooks/core";
import { guard as metaGuard } from "@hooks/meta-guard";
import { cap } from "@hooks/output-cap";
import { jail } from "@hooks/path-jail";
import { prefer } from "@hooks/prefer-named-tools";
import { createRedactor } from "@hooks/secrets";
import { cap as windowCap } from "@hooks/window-cap";
import { compare, latency, report } from "./measure.js";

const line = "src/index.ts:12:3 compiled in 14 ms, 3 modules, token budget left: 1200\n";
const short = line.repeat(20);
const long = line.repeat(1_500);
const redactor = createRedactor();
const harness = createHarness();
harness.register({ event: "PostToolUse", handler: cap, options: { spill: false } });

const prepare = (text: string) =>
  harness.prepare("PostToolUse", { tool: { name: "Bash", args: {} }, result: { text, is_error: false } });
const shortResult = prepare(short);
const longResult = prepare(long);

report(
  "output-cap, a decision about one result, against looking at each of its characters once",
  await compare({
    [`${short.length} characters: one regex`]: () => /[^\P{Cc}\n]/u.test(short),
    [`${short.length} characters: redactor`]: () => redactor.text(short),
    [`${short.length} characters: output-cap`]: () => harness.dispatch(shortResult),
    [`${long.length} characters: one regex`]: () => /[^\P{Cc}\n]/u.test(long),
    [`${long.length} characters: redactor`]: () => redactor.text(long),
    [`${long.length} characters: output-cap, cut`]: () => harness.dispatch(longResult),
  }),
);

const scratch = mkdtempSync(join(tmpdir(), "harn-bench-"));
const audited = (sync: string) => {
  const made = createHarness();
  made.observe({ event: "*", handler: audit, options: { path: join(scratch, `${sync}.jsonl`), sync } });
  const call = made.prepare("PreToolUse", {
    tool: { name: "Bash", args: { command: "npm run build -- --watch=false" } },
  });
  return () => made.dispatch(call);
};
await latency("audit, one line", { "with the operating system": audited("never"), "on the disk": audited("always") });
rmSync(scratch, { recursive: true });

const jailed = createHarness();
jailed.register({ event: "PreToolUse", handler: jail, options: { roots: ["."], deny: [".env*", "~/.ssh"] } });
const call = (name: string, args: Record<string, string>) => {
  const prepared = jailed.prepare("PreToolUse", { tool: { name, args }, session: { id: "b", cwd: process.cwd() } });
  return () => jailed.dispatch(prepared);
};
await latency("path-jail, one decision", {
  "Read of one file": call("Read", { file_path: "packages/core/src/plan.ts" }),
  "a short command": call("Bash", { command: "cat package.json | head -5" }),
  "a long command": call("Bash", {
    command:
      "cd packages/core && npm run build 2>&1 | tee build.log && git status --short && cp -r src /tmp/x && sed -i s/a/b/ src/*.ts",
  }),
});

const soft = createHarness();
soft.register({ event: "PreToolUse", handler: prefer });
const guarded = createHarness();
guarded.register({ event: "PreToolUse", handler: metaGuard });
const windowed = createHarness();
windowed.register({ event: "PreCompletion", handler: windowCap });
const build = { tool: { name: "Bash", args: { command: "cd packages/core && npm run build 2>&1 | tee build.log" } } };
const preferred = soft.prepare("PreToolUse", build);
const edited = guarded.prepare("PreToolUse", build);
const messages = Array.from({ length: 150 }, () => ({ role: "user", content: "hello" }));
const asked = windowed.prepare("PreCompletion", { request: { model: "m", messages } });
await latency("the others, one decision", {
  "meta-guard": () => guarded.dispatch(edited),
  "prefer-named-tools": () => soft.dispatch(preferred),
  "window-cap": () => windowed.dispatch(asked),
});
