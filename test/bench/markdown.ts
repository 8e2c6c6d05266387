import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHarness, type Harness } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { compare, latency, report } from "./measure.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "harn-bench-")));
const dangerous = ["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"];

/** The command_guard of the page, with its `when` or without. */
function guard(name: string, when: string): string {
  const home = join(root, name);
  mkdirSync(join(home, ".harness/hooks"), { recursive: true });
  writeFileSync(
    join(home, ".harness/hooks/command_guard.md"),
    `---
event: tool.pre
priority: 10
${when}script: |
  def handle(event, payload):
    cmd = payload.get("args", {}).get("command", "")
    dangerous = ${JSON.stringify(dangerous)}
    for d in dangerous:
      if d in cmd:
        metrics.incr("audit.policy.deny")
        return block("dangerous command pattern blocked: '" + d + "'")
    return allow()
---
`,
  );
  return home;
}

async function load(cwd: string) {
  const loaded = await loadHarness({ cwd });
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.harness;
}

const plain = (payload: { readonly args?: { readonly command?: string } }) => {
  const command = payload.args?.command ?? "";
  for (const pattern of dangerous) {
    if (command.includes(pattern)) return { action: "block", reason: pattern };
  }
  return { action: "allow" };
};

const command = "npm run build -- --filter=web && git status --short";
const tool = { name: "run_command", args: { command }, call_id: "call_abc123" };

const inCode = createHarness();
inCode.register({ event: "PreToolUse", handler: ({ tool: { args } }) => void plain({ args }) });
const scoped = await load(guard("scoped", 'when: payload["name"] == "run_command"\n'));
const open = await load(guard("open", ""));

/** Calls of one tool: they are asked about one after the other, so that what is kept of one is no use for the next. */
const calls = (name = tool.name) =>
  Array.from({ length: 16 }, (_, n) => ({ name, args: { command: `${command} ${n}` }, call_id: `call_${n}` }));

function plainly(): () => unknown {
  const views = calls();
  let next = 0;
  return () => plain(views[next++ % views.length] as (typeof views)[0]);
}

function asking(harness: Harness, name?: string): () => unknown {
  const payloads = calls(name).map((one) => harness.prepare("PreToolUse", { tool: one }));
  let next = 0;
  return () => harness.dispatch(payloads[next++ % payloads.length] as (typeof payloads)[0]);
}

report(
  "one Markdown guard, a call that passes, against the same in JavaScript",
  await compare({
    "plain JavaScript, no dispatch": plainly(),
    "a hook in code, dispatched": asking(inCode),
    "Markdown, without when": asking(open),
    "Markdown, with when": asking(scoped),
    "Markdown, when is false": asking(scoped, "read_file"),
  }),
  { "Markdown, without when": "10x", "Markdown, when is false": "0.5 µs" },
);

writeFileSync(join(root, "harn.toml"), '[[hooks]]\nevent = "PreToolUse"\ncommand = ["true"]\n');
const executable = await load(root);
const call = executable.prepare("PreToolUse", { tool });
await latency(
  "one executable hook that answers at once, against starting it and nothing else",
  {
    "spawn, until it is closed": () =>
      new Promise((done) => {
        const child = spawn("true", { stdio: ["ignore", "pipe", "pipe"] });
        child.on("close", done);
      }),
    dispatch: () => executable.dispatch(call),
  },
  400,
);
rmSync(root, { recursive: true });
