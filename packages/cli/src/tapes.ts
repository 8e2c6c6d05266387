import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { printable } from "@hooks/core";
import { type Dispatched, listTapes, stateDirectory } from "@hooks/tape";
import { CliError, EXIT } from "./exit.js";
import type { Host, Paint } from "./terminal.js";

/** The tapes a command names: files, directories of them, or all of this person's when it names none. */
export function findTapes(words: readonly string[], { cwd }: Host): string[] {
  const files = words.flatMap((word) => {
    const path = resolve(cwd, word);
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? filesOf(path) : [path];
  });
  const found = words.length === 0 ? filesOf() : files;
  if (found.length === 0) throw noTape(words[0] ?? join(stateDirectory(), "tapes"));
  return found;
}

/** The one tape a command names, or the newest of this person. */
export function findTape(word: string | undefined, host: Host): string {
  if (word !== undefined) return resolve(host.cwd, word);
  const [newest] = listTapes();
  if (newest === undefined) throw noTape(join(stateDirectory(), "tapes"));
  return newest.file;
}

/** In the order of their names, which begin with the time they were made. */
function filesOf(directory?: string): string[] {
  return listTapes(directory)
    .map(({ file }) => file)
    .sort();
}

function noTape(place: string): CliError {
  return new CliError("HARN_E_FILE_READ", EXIT.io, `there is no tape in ${place}`, "harn run --tape FILE records one");
}

/** One dispatch in a line: when, what was asked, and how it ended. */
export function lineOf(one: Dispatched, paint: Paint): string {
  const { time, event, subject, outcome, duration_ms, hooks } = one;
  const verdict =
    outcome === null ? (duration_ms === null ? "cut off" : "raised") : (outcome.decision ?? outcome.verdict);
  const colour = verdict === "allow" ? "green" : verdict === "ask" ? "yellow" : "red";
  const why =
    outcome?.by === undefined
      ? failureOf(one)
      : `${outcome.by}${outcome.reason === undefined ? "" : `: ${outcome.reason}`}`;
  const cells = [
    paint("dim", timeOf(time)),
    printable(event.padEnd(18)),
    printable((subject ?? "").padEnd(12)),
    paint(colour, `${verdict}${outcome?.modified === true ? ", modified" : ""}`.padEnd(15)),
    `${hooks.length} ${hooks.length === 1 ? "hook" : "hooks"}${duration_ms === null ? "" : `, ${duration_ms.toFixed(2)} ms`}`,
    printable(why),
  ];
  return cells.join("  ").trimEnd();
}

function failureOf({ hooks }: Dispatched): string {
  const failed = hooks.find(({ result }) => result === "failed");
  return failed === undefined ? "" : `${failed.hook.id}: ${failed.reason}`;
}

/** A moment as a person and a spreadsheet read it. */
export function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString().replace("T", " ");
}

/** One dispatch as other programs read it. */
export function rowOf({
  seq,
  time,
  session,
  dispatch,
  event,
  subject,
  hooks,
  outcome,
  duration_ms,
  payload,
}: Dispatched) {
  return {
    seq,
    time: timeOf(time),
    session,
    dispatch,
    event,
    subject,
    verdict: outcome?.verdict ?? null,
    decision: outcome?.decision ?? null,
    by: outcome?.by ?? null,
    reason: outcome?.reason ?? null,
    modified: outcome?.modified ?? false,
    duration_ms,
    hooks: hooks.map(({ hook, ...rest }) => ({
      hook: hook.id,
      package: hook.package ?? null,
      version: hook.version ?? null,
      ...rest,
    })),
    payload,
  };
}
