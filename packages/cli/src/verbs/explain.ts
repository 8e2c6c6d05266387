import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type Harness,
  type Hook,
  harn,
  isJsonObject,
  type Json,
  type JsonObject,
  messageOf,
  type Outcome,
  printable,
  rowOf,
  specOf,
  type TraceEntry,
} from "@hooks/core";
import { type Request, readRequest } from "../answer.js";
import { diffLines } from "../diff.js";
import { CliError, EXIT, usage } from "../exit.js";
import { requirePolicy } from "../policy.js";
import { explainStatically } from "../static-explanation.js";
import type { Paint, Terminal } from "../terminal.js";
import { isTrusted } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "explain [FILE | -] [--event NAME] [--tool NAME] [--arg KEY=VALUE ...] [--manifest FILE] [--json]",
  about: `Fires one event and tells what every hook made of it: why it ran or did not, its answer, what it rewrote, how long it
took, and the verdict. Observers are shown and not told. The event is {"event", "payload"} in a file or on standard input (-), or a tool call given with
--tool and --arg. A value that is JSON is taken as JSON, anything else as text. The hooks really run.`,
  flags: {
    ...POLICY_FLAGS,
    event: { type: "string", value: "NAME", about: "the event; PreToolUse for --tool when absent" },
    tool: { type: "string", value: "NAME", about: "the tool of a call" },
    arg: { type: "string", value: "KEY=VALUE", multiple: true, about: "an argument of the call; may be repeated" },
  },
  words: { least: 0, most: 1 },
  examples: [
    { command: "harn explain --tool Bash --arg command='rm -rf /'", shows: "would this be allowed, and who says so" },
    { command: "harn explain event.json --json", shows: "a recorded event, for a program" },
  ],
  async run({ flags, words }, terminal) {
    const request =
      flags.tool === undefined ? await readEvent(words[0], flags, terminal) : toolCall(flags.tool, flags, words);
    const isRun = await isTrusted(terminal.host, flags.manifest);
    const harness = await requirePolicy(flags, terminal, { trial: true }, isRun ? undefined : { inspect: true });
    if (typeof harness === "number") return harness;
    const asked = harness.prepare(request.event, request.payload as never);
    if (!isRun) {
      explainStatically(harness, asked as unknown as JsonObject, flags.json, terminal);
      return EXIT.untrusted;
    }
    const outcome = await harness.dispatch(asked);
    if (flags.json) terminal.json({ ok: true, asked, ...outcome.toJSON() });
    else
      for (const line of explanation(outcome, asked as unknown as JsonObject, harness, terminal.paint))
        terminal.print(line);
    harness.close();
    return EXIT.fine;
  },
});

function toolCall(
  name: string,
  { event, arg }: { event: string | undefined; arg: readonly string[] },
  words: readonly string[],
): Request {
  if (words.length > 0) throw usage(`an event comes from ${words[0]} or from --tool, not from both`);
  const args = Object.fromEntries(arg.map(readArg));
  return readRequest({ event: event ?? "PreToolUse", payload: { tool: { name, args } } }, harn);
}

function readArg(text: string): [string, Json] {
  const at = text.indexOf("=");
  if (at < 1) throw usage(`--arg "${text}" is not KEY=VALUE`, "harn explain --tool Bash --arg command=ls");
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value) as Json];
  } catch {
    return [text.slice(0, at), value];
  }
}

async function readEvent(
  file: string | undefined,
  { event, arg }: { event: string | undefined; arg: readonly string[] },
  { host }: Terminal,
): Promise<Request> {
  if (arg.length > 0) throw usage("--arg needs --tool", "harn explain --tool Bash --arg command=ls");
  if (file === undefined && host.isInteractive)
    throw usage("which event? Name a file, or a tool with --tool", "harn explain --tool Bash --arg command=ls");
  const name = file === undefined || file === "-" ? "standard input" : file;
  try {
    const text =
      name === "standard input" ? await readAll(host.stdin()) : await readFile(resolve(host.cwd, name), "utf8");
    if (text.trim() === "") throw new Error("it is empty");
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) throw new Error('it must be an object {"event", "payload"}');
    return readRequest(event === undefined ? value : { event, payload: value }, harn);
  } catch (error) {
    throw new CliError(
      "HARN_E_INPUT",
      EXIT.data,
      `${name} cannot be read as an event: ${messageOf(error)}`,
      rowOf(name) === undefined
        ? 'it holds {"event": "PreToolUse", "payload": {...}}; with --event, the payload alone'
        : `an event goes with its payload: echo '{...}' | harn explain - --event ${name}`,
    );
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString("utf8");
}

const STYLES = { allow: "green", ask: "yellow", block: "red" } as const;

function explanation(outcome: Outcome, asked: JsonObject, { hooks }: Harness, paint: Paint): string[] {
  const { trace, verdict, reason, by } = outcome;
  const byId = new Map(hooks.map((hook) => [hook.ref.id, hook]));
  const width = Math.max(0, ...trace.map(({ hook }) => hook.length));
  const total = trace.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0);
  let before: Json | undefined = specOf(outcome.event).modifies?.split(".").reduce<Json | undefined>(step, asked);
  const entries = trace.flatMap((entry, place) => {
    const lines = entryLines(entry, byId.get(entry.hook), before, width, total, place === trace.length - 1, paint);
    if (entry.change !== undefined) before = entry.change;
    return lines;
  });
  const said = reason === undefined ? "" : `: ${printable(reason)}`;
  return [
    `${paint("bold", outcome.event)}  ${printable(JSON.stringify(withoutFrame(asked)))}`,
    ...(entries.length === 0 ? ["no hook answers this event"] : entries),
    `${paint(STYLES[verdict], verdict.toUpperCase())}${said}${by === undefined ? "" : paint("dim", ` (${by})`)}`,
    ...(outcome.modified && verdict !== "block"
      ? [`the operation gets ${printable(JSON.stringify(withoutFrame(outcome.payload as unknown as JsonObject)))}`]
      : []),
    ...outcome.reminders.map(({ body }) => `reminder: ${printable(body)}`),
    ...(outcome.stop === undefined
      ? []
      : [
          `the agent stops after this${outcome.stop.reason === undefined ? "" : `: ${printable(outcome.stop.reason)}`}`,
        ]),
  ];
}

function step(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function withoutFrame({ event: _event, session: _session, ...rest }: JsonObject): JsonObject {
  return rest;
}

function entryLines(
  entry: TraceEntry,
  hook: Hook | undefined,
  before: Json | undefined,
  width: number,
  total: number,
  isLast: boolean,
  paint: Paint,
): string[] {
  const [branch, stem] = isLast ? ["└─", "  "] : ["├─", "│ "];
  const name = `${branch} ${String(entry.priority).padStart(3)} ${paint("cyan", entry.hook.padEnd(width))}`;
  if (entry.skipped !== undefined) return [`${name}  ${paint("dim", `skipped: ${entry.skipped}`)}`];
  const { result = "allow", duration_ms = 0 } = entry;
  const style = result === "block" || result === "decision_deny" ? "red" : result === "ask" ? "yellow" : "green";
  const share = total === 0 ? 0 : Math.round((duration_ms / total) * 100);
  const detail = (text: string) => `${stem}       ${" ".repeat(width)}${text}`;
  return [
    `${name}  ${paint(style, result)}${entry.reason === undefined ? "" : `: ${printable(entry.reason)}`}  ${paint("dim", `${duration_ms.toFixed(2)} ms, ${share} %; ${whyRun(hook)}`)}`,
    ...(entry.fault === undefined ? [] : [detail(paint("red", `fault ${entry.fault}`))]),
    ...(entry.warnings ?? []).map((warning) => detail(paint("yellow", `warning: ${warning}`))),
    ...(entry.stderr?.split("\n") ?? []).map((line) => detail(paint("dim", `stderr: ${printable(line)}`))),
    ...(entry.change === undefined
      ? []
      : diffLines(before ?? null, entry.change, hook?.spec.modifies ?? "").map((line) =>
          detail(paint(line.startsWith("-") ? "red" : "green", line)),
        )),
  ];
}

function whyRun(hook: Hook | undefined): string {
  const source = hook?.pattern.source ?? "*";
  const matched = source === "" || source === "*" ? "ran for every subject" : `ran: ${JSON.stringify(source)} matches`;
  return hook?.whenText == null ? matched : `${matched}, when ${hook.whenText} holds`;
}
