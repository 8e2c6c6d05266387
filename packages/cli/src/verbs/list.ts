import { ANY_EVENT, type ErrorCode, type EventName, errorCodes, type Hook, isGate, printable } from "@hooks/core";
import { describeEvents, eventLines } from "../events.js";
import { EXIT } from "../exit.js";
import { requirePolicy, type Source, sourcesOf } from "../policy.js";
import type { Paint } from "../terminal.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "list [--manifest FILE] [--events] [--json]",
  about: `Prints the stack the way it is dispatched, event by event: priority, hook, what it is for, what a fault does, and
where it was declared. With --events, prints every event there is, and what it honours.`,
  flags: {
    ...POLICY_FLAGS,
    events: { type: "boolean", about: "the catalogue of events instead of the stack; needs no manifest" },
  },
  examples: [
    { command: "harn list", shows: "the policy of this project" },
    { command: "harn list --events", shows: "what hooks can be bound to" },
  ],
  async run({ flags }, terminal) {
    const { print, json, paint } = terminal;
    if (flags.events) {
      if (flags.json) json({ ok: true, events: describeEvents() });
      else for (const line of eventLines(paint)) print(line);
      return EXIT.fine;
    }
    const harness = await requirePolicy(flags, terminal, undefined, { inspect: true });
    if (typeof harness === "number") return harness;
    const sources = await sourcesOf(harness, terminal);
    const rows = harness.hooks.map((hook) => rowOf(hook, sources.get(hook) as Source, harness.strict));
    if (flags.json) json({ ok: true, manifest: harness.manifest, strict: harness.strict, hooks: rows });
    else for (const line of policyLines(rows, harness.hooks, paint)) print(line);
    harness.close();
    return EXIT.fine;
  },
});

type Row = ReturnType<typeof rowOf>;

function rowOf(hook: Hook, source: Source, isStrict: boolean) {
  const { ref, event, observes, pattern, whenText, threshold, priority, timeout_ms, on_error, spec, dialect } = hook;
  return {
    id: ref.id,
    event,
    observes,
    priority,
    layer: source.layer,
    pack: source.pack,
    pattern: pattern.source,
    when: whenText,
    threshold,
    handler: ref.handler,
    package: ref.package ?? null,
    version: ref.version ?? null,
    dialect: dialect.name,
    on_error: observes ? (on_error === "raise" ? on_error : "allow") : (on_error ?? spec.fault),
    passes: passesOf(hook, isStrict),
    timeout_ms,
    changes: hook.source.changes ?? [],
    source: { file: source.file, line: source.line },
  };
}

/** The faults its kind of hook passes over, where the hook itself says nothing else. */
function passesOf({ event, on_error, observes, spec, dialect }: Hook, isStrict: boolean): ErrorCode[] {
  if (on_error !== null || observes || !isGate(spec)) return [];
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return codes.filter((code) => dialect.tolerates(code, event as EventName, isStrict));
}

function faultText({ on_error, passes }: Row): string {
  // A program that fails is what most faults of executables are.
  if (passes.includes("HARN_E_HOOK_EXIT")) return "a failure passes";
  const does = `a fault ${on_error === "block" ? "blocks" : on_error === "allow" ? "is passed over" : "is raised"}`;
  return passes.includes("HARN_E_CONTRACT") ? `${does}, a bad answer passes` : does;
}

/** One block for each event, in words: who is asked, about what, and what happens when it fails. */
function policyLines(rows: readonly Row[], hooks: readonly Hook[], paint: Paint): string[] {
  if (rows.length === 0) return ["no hooks"];
  const widths = columns(rows);
  return rows.flatMap((row, place) => {
    const hook = hooks[place] as Hook;
    const isFirst = rows[place - 1]?.event !== row.event;
    const kind = row.event === ANY_EVENT ? "observers" : isGate(hook.spec) ? "gate" : "advisory";
    const head = `${paint("bold", row.event === ANY_EVENT ? "every event" : row.event)}  ${paint("dim", kind)}`;
    const cells = [
      String(row.priority).padStart(5),
      paint("cyan", row.id.padEnd(widths.id)),
      subjectOf(row).padEnd(widths.subject),
      originOf(row).padEnd(widths.origin),
      faultText(row).padEnd(widths.fault),
      paint(
        "dim",
        `${row.pack === null ? row.layer : `${row.layer} ${row.pack}`} ${row.source.file ?? ""}${row.source.line === null ? "" : `:${row.source.line}`}`.trim(),
      ),
    ];
    return [
      ...(isFirst ? [...(place === 0 ? [] : [""]), head] : []),
      cells.join("  ").trimEnd(),
      ...row.changes.map((change) => paint("dim", printable(`${" ".repeat(7)}${change}`))),
    ];
  });
}

function columns(rows: readonly Row[]) {
  const width = (cell: (row: Row) => string) => Math.max(...rows.map((row) => cell(row).length));
  return { id: width(({ id }) => id), subject: width(subjectOf), origin: width(originOf), fault: width(faultText) };
}

function subjectOf({ pattern, when, threshold, observes }: Row): string {
  const name = pattern === "" || pattern === "*" ? "all" : pattern;
  const subject = observes ? `observes ${name}` : name;
  const from = threshold === null ? "" : ` from ${threshold} %`;
  return printable(`${subject}${from}${when === null ? "" : ` when ${when}`}`);
}

function originOf({ handler, version }: Row): string {
  return printable(version === null ? handler : `${handler} ${version}`);
}
