import { dirname, relative, resolve } from "node:path";
import { type Harness, isGate, isJsonObject, type Json, messageOf, type Outcome, printable } from "@hooks/core";
import { CliError, EXIT, type Exit } from "../exit.js";
import { type PolicyFlags, requirePolicy } from "../policy.js";
import { openProgress } from "../progress.js";
import { type Expectation, findTables, type Row, readTable } from "../table.js";
import type { Terminal } from "../terminal.js";
import { isTrusted, trustPolicy } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";
import { watch } from "../watch.js";

export const verb = defineVerb({
  usage: "test [FILE ...] [--watch] [--manifest FILE] [--json]",
  about: `Fires every case of the table tests beside the policy (*.harn-test.toml below the directory of harn.toml, or the files
named) and compares what comes of it. Also names the hooks on gates that no case ever made block.
A case: name, event and payload (or tool and args), and [cases.expect] with verdict, reason (a part of it), by, modified.`,
  flags: {
    ...POLICY_FLAGS,
    watch: { type: "boolean", short: "w", about: "again whenever a file of the policy changes, until ctrl-C" },
  },
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn test", shows: "all table tests of this project" },
    { command: "harn test policy.harn-test.toml --json", shows: "one of them, for a program" },
  ],
  async run({ flags, words }, terminal) {
    if (!flags.watch) return runTables(flags, words, terminal);
    // A module that was loaded stays loaded: each round is a process of its own.
    const again = process.argv.slice(1).filter((word) => word !== "--watch" && word !== "-w");
    // Whoever watches is at work on what they trusted: what they change is theirs.
    const { host } = terminal;
    const wasTrusted = await isTrusted(host, flags.manifest);
    const prepare = async () => wasTrusted && (await trustPolicy(host, flags.manifest));
    return watch(host.cwd, [process.execPath, ...again], terminal, prepare);
  },
});

interface Result {
  readonly file: string;
  readonly name: string;
  readonly ok: boolean;
  readonly failures: readonly string[];
}

/** What hooks did in any case: something at all, and a block. */
interface Seen {
  readonly active: Set<string>;
  readonly blocked: Set<string>;
}

async function runTables(flags: PolicyFlags, words: readonly string[], terminal: Terminal): Promise<Exit> {
  const { host, json } = terminal;
  const harness = await requirePolicy(flags, terminal);
  if (typeof harness === "number") return harness;
  const home = harness.manifest === null ? host.cwd : dirname(harness.manifest);
  const files = words.length > 0 ? words.map((word) => resolve(host.cwd, word)) : await findTables(home);
  if (files.length === 0) {
    throw new CliError(
      "HARN_E_TEST_FILE",
      EXIT.data,
      "there is no *.harn-test.toml beside the policy",
      "write policy.harn-test.toml with [[cases]]; harn test --help shows what is in one",
    );
  }
  const cases: { readonly file: string; readonly row: Row }[] = [];
  for (const path of files) {
    const file = relative(host.cwd, path) || path;
    for (const row of await readTable(path, file)) cases.push({ file, row });
  }
  const seen: Seen = { active: new Set(), blocked: new Set() };
  const results: Result[] = [];
  const progress = openProgress(terminal);
  for (const [place, { file, row }] of cases.entries()) {
    progress.show(place / cases.length, `${place + 1} of ${cases.length} cases: ${row.name}`);
    const failures = await tryRow(row, harness, seen);
    results.push({ file, name: row.name, ok: failures.length === 0, failures });
  }
  progress.clear();
  const gates = harness.hooks.filter(({ spec }) => isGate(spec)).map(({ ref }) => ref.id);
  const idle = gates.filter((id) => !seen.active.has(id));
  const neverBlocked = gates.filter((id) => !seen.blocked.has(id));
  harness.close();
  const failed = results.filter(({ ok }) => !ok).length;
  if (flags.json) json({ ok: failed === 0, cases: results, idle, never_blocked: neverBlocked });
  else report(results, neverBlocked, terminal);
  return failed === 0 ? EXIT.fine : EXIT.findings;
}

function report(results: readonly Result[], neverBlocked: readonly string[], { print, talk, paint }: Terminal): void {
  for (const { file, name, ok, failures } of results) {
    print(`${paint(ok ? "green" : "red", ok ? "ok  " : "FAIL")} ${paint("dim", file)} ${printable(name)}`);
    for (const failure of failures) print(`     ${printable(failure)}`);
  }
  talk(`${results.filter(({ ok }) => ok).length} of ${results.length} cases hold`);
  if (neverBlocked.length > 0) talk("no case made these hooks block:");
  for (const id of neverBlocked) talk(printable(`  ${id}`));
}

/** Fires one row. What is wrong, in words; hooks that did something are noted. */
async function tryRow({ event, payload, expect }: Row, harness: Harness, seen: Seen): Promise<string[]> {
  try {
    const outcome = await harness.fire(event, payload as never);
    for (const { hook, result = "allow", fault } of outcome.trace) {
      if (result !== "allow") seen.active.add(hook);
      // A guard that crashes blocks too, and has shown nothing.
      if (fault === undefined && (result === "block" || result === "decision_deny")) seen.blocked.add(hook);
    }
    return compare(outcome, expect);
  } catch (error) {
    return [messageOf(error)];
  }
}

function compare(outcome: Outcome, { verdict, reason, by, modified = {} }: Expectation): string[] {
  const because = outcome.reason === undefined ? "" : ` (${outcome.reason})`;
  const differs = (what: string, wanted: unknown, got: unknown) =>
    `${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got ?? null)}`;
  return [
    // A guard that crashes blocks too, and would pass for one that works.
    ...outcome.faults.map(({ hook, error }) => `hook "${hook}" failed: ${error.message}`),
    ...(verdict === undefined || verdict === outcome.verdict
      ? []
      : [`${differs("verdict", verdict, outcome.verdict)}${because}`]),
    ...(reason === undefined || outcome.reason?.includes(reason) === true
      ? []
      : [differs("reason", reason, outcome.reason)]),
    ...(by === undefined || by === outcome.by ? [] : [differs("by", by, outcome.by)]),
    ...Object.entries(modified).flatMap(([path, wanted]) => {
      const got = path
        .split(".")
        .reduce<Json | undefined>(
          (value, key) => (isJsonObject(value) ? value[key] : undefined),
          outcome.payload as unknown as Json,
        );
      return JSON.stringify(got) === JSON.stringify(wanted) && outcome.modified ? [] : [differs(path, wanted, got)];
    }),
  ];
}
