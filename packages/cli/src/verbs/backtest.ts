import { relative } from "node:path";
import { printable } from "@hooks/core";
import { type Backtest, backtest, type Change, type Count, type Example, type Ruling } from "@hooks/tape";
import { EXIT, usage } from "../exit.js";
import { requirePolicy } from "../policy.js";
import { openProgress } from "../progress.js";
import { findTapes } from "../tapes.js";
import type { Paint } from "../terminal.js";
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
    else for (const line of linesOf(shown, paint)) print(line);
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

const COLOURS = { loosened: "red", tightened: "yellow", rewritten: "cyan" } as const;

function linesOf({ tapes, events, changed, changes, hooks, tools }: Backtest, paint: Paint): string[] {
  const total = `${events} events of ${tapes} ${tapes === 1 ? "tape" : "tapes"}: ${changed === 0 ? "no verdict changes" : `${changed} would change`}`;
  if (changed === 0) return [total];
  return [
    paint("bold", total),
    ...changes.flatMap((change) => ["", ...changeLines(change, paint)]),
    ...countLines("By hook", hooks, paint),
    ...countLines("By tool", tools, paint),
  ];
}

function changeLines({ direction, event, tool, from, to, count, masked, examples }: Change, paint: Paint): string[] {
  const subject = printable(`${event}${tool === null ? "" : ` ${tool}`}`);
  const hidden = masked === 0 ? "" : `, ${masked} of them with something masked`;
  return [
    `${paint(COLOURS[direction], direction)}  ${subject}  ${rulingText(from)} -> ${rulingText(to)}  ${count}x${hidden}`,
    ...examples.map(({ tape, seq, payload, to_reason, from_reason }) => {
      const why = direction === "loosened" ? from_reason : to_reason;
      return paint("dim", `    ${tape}:${seq} ${excerpt(payload)}${why === null ? "" : `  (${why})`}`);
    }),
  ];
}

function rulingText({ verdict, by }: Ruling): string {
  return printable(by === null ? verdict : `${verdict} by ${by}`);
}

const MAX_EXCERPT = 160;

function excerpt(payload: unknown): string {
  const {
    tool,
    prompt,
    event: _,
    session: __,
    ...rest
  } = payload as { tool?: { args?: unknown }; prompt?: unknown; event?: unknown; session?: unknown };
  const text = JSON.stringify(tool?.args ?? prompt ?? rest);
  return text.length <= MAX_EXCERPT ? text : `${text.slice(0, MAX_EXCERPT)}...`;
}

function countLines(title: string, counts: readonly Count[], paint: Paint): string[] {
  if (counts.length === 0) return [];
  const width = Math.max(...counts.map(({ name }) => name.length));
  return [
    "",
    paint("bold", title),
    ...counts.map(({ name, loosened, tightened, rewritten }) =>
      printable(`  ${name.padEnd(width)}  loosened ${loosened}, tightened ${tightened}, rewritten ${rewritten}`),
    ),
  ];
}
