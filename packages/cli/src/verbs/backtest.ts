import { relative } from "node:path";
import { printable } from "@hooks/core";
import { type Backtest, backtest, type Example } from "@hooks/tape";
import { backtestLines } from "../backtest-lines.js";
import { EXIT, usage } from "../exit.js";
import { requirePolicy } from "../policy.js";
import { openProgress } from "../progress.js";
import { findTapes } from "../tapes.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "backtest [TAPE | DIRECTORY ...] [--manifest FILE] [--examples N] [--json]",
  about: `Asks a policy about every event that was recorded, and shows each verdict that would change: by event, tool and the
hooks that decide, with a count and examples. The hooks really run; observers are not told. Without a tape: all of
yours. The exit code is 1 when a verdict would be looser than it was, and 65 when a tape cannot be used.`,
  flags: {
    ...POLICY_FLAGS,
    examples: { type: "string", value: "N", about: "how many examples of each change are shown; 3 when absent" },
  },
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn backtest", shows: "what this project's policy would have said to everything on your tapes" },
    { command: "harn backtest tapes/ --manifest stricter.toml --json", shows: "another policy, for a program" },
  ],
  async run({ flags, words }, terminal) {
    const { host, json, print, talk, paint } = terminal;
    const examples = readCount(flags.examples);
    const tapes = findTapes(words, host);
    const harness = await requirePolicy(flags, terminal, { trial: true });
    if (typeof harness === "number") return harness;
    const progress = openProgress(terminal);
    const found = await backtest(tapes, harness, {
      examples,
      onProgress: ({ bytes, total, events, tapes: done }) =>
        progress.show(bytes / total, `${events} events, tape ${Math.min(done + 1, tapes.length)} of ${tapes.length}`),
    });
    progress.clear();
    harness.close();
    const shown = namedFrom(host.cwd, found);
    if (flags.json) json({ ok: !found.loosened && found.problems.length === 0, ...shown });
    else for (const line of backtestLines(shown, paint)) print(line);
    for (const problem of found.problems) talk(`${terminal.paintTalk("yellow", "warning")}: ${printable(problem)}`);
    if (found.loosened) return EXIT.findings;
    return found.problems.length === 0 ? EXIT.fine : EXIT.data;
  },
});

function readCount(given: string | undefined): number {
  if (given === undefined) return 3;
  if (!/^\d{1,6}$/.test(given)) throw usage(`--examples must be a whole number, got "${given}"`);
  return Number(given);
}

/** Tapes by the names a person would type here. */
function namedFrom(cwd: string, found: Backtest): Backtest {
  const rename = (example: Example): Example => ({ ...example, tape: relative(cwd, example.tape) || example.tape });
  return { ...found, changes: found.changes.map((change) => ({ ...change, examples: change.examples.map(rename) })) };
}
