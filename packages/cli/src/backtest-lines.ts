import { printable } from "@hooks/core";
import type { Backtest, Change, Count, Ruling } from "@hooks/tape";
import type { Paint } from "./terminal.js";

const COLOURS = { loosened: "red", tightened: "yellow", rewritten: "cyan" } as const;

/** A backtest for a person. */
export function backtestLines({ tapes, events, changed, changes, hooks, tools }: Backtest, paint: Paint): string[] {
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
