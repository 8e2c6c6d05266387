import { stat } from "node:fs/promises";
import { type Dispatched, readDispatches, readTape } from "@hooks/tape";
import { EXIT, type Exit, usage } from "./exit.js";
import { findTape, lineOf, rowOf } from "./tapes.js";
import type { Terminal } from "./terminal.js";

/** Which dispatches are wanted. */
export interface Selection {
  readonly event: string | undefined;
  readonly verdict: string | undefined;
  readonly hook: string | undefined;
}

/** The dispatches of a tape that a command wants. */
export function* selectDispatches(file: string, { event, verdict, hook }: Selection): Generator<Dispatched, void> {
  for (const one of readDispatches(file)) {
    const isWanted =
      (event === undefined || one.event === event) &&
      (verdict === undefined || one.outcome?.verdict === verdict) &&
      (hook === undefined || one.hooks.some(({ hook: { id } }) => id === hook));
    if (isWanted) yield one;
  }
}

interface ShowFlags extends Selection {
  readonly records: boolean;
  readonly json: boolean;
}

/** Prints a tape from its start to its end. */
export async function showTape(words: readonly string[], flags: ShowFlags, terminal: Terminal): Promise<Exit> {
  const { host, print, json, paint } = terminal;
  const file = findTape(singleTape(words, "show"), host);
  if (flags.records) {
    const records = readTape(file);
    if (flags.json) json({ ok: true, tape: file, records: [...records].map(({ seq, record }) => ({ seq, record })) });
    else for (const { seq, text } of records) print(`${seq} ${text}`);
    return EXIT.fine;
  }
  const found = selectDispatches(file, flags);
  if (flags.json) json({ ok: true, tape: file, dispatches: [...found].map(rowOf) });
  else for (const dispatched of found) print(lineOf(dispatched, paint));
  return EXIT.fine;
}

interface TailFlags extends Selection {
  readonly lines: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
}

/** Prints the end of a tape, and goes on with what is written. */
export async function tailTape(words: readonly string[], flags: TailFlags, terminal: Terminal): Promise<Exit> {
  const { host, print, json, paint } = terminal;
  const { lines = "10" } = flags;
  if (!/^\d{1,9}$/.test(lines)) throw usage(`--lines must be a whole number, got "${lines}"`);
  const file = findTape(singleTape(words, "tail"), host);
  const show = (dispatched: Dispatched) => (flags.json ? json(rowOf(dispatched)) : print(lineOf(dispatched, paint)));
  if (flags.follow) return follow(file, flags, Number(lines), show);
  const all = lastOf(selectDispatches(file, flags), Number(lines));
  if (flags.json) json({ ok: true, tape: file, dispatches: all.map(rowOf) });
  else for (const dispatched of all) print(lineOf(dispatched, paint));
  return EXIT.fine;
}

const PAUSE_MS = 250;

/** Reads again whenever the tape has grown, and shows what has ended since, until the process is ended. */
async function follow(file: string, flags: Selection, most: number, show: (one: Dispatched) => void): Promise<never> {
  let ended = 0;
  for (let size = -1; ; await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))) {
    const now = (await stat(file)).size;
    if (now === size) continue;
    const fresh: Dispatched[] = [];
    let count = 0;
    // They come in the order they ended, so that what was shown is always at the start.
    for (const dispatched of selectDispatches(file, flags)) {
      if (dispatched.outcome !== null && ++count > ended) fresh.push(dispatched);
    }
    for (const dispatched of size === -1 ? lastOf(fresh, most) : fresh) show(dispatched);
    ended = count;
    size = now;
  }
}

/** The last so many of something, in the memory of so many. */
function lastOf<T>(items: Iterable<T>, most: number): T[] {
  const kept: T[] = [];
  for (const item of items) {
    kept.push(item);
    if (kept.length > most) kept.shift();
  }
  return kept;
}

/** The one tape of an action that takes one. */
export function singleTape(words: readonly string[], action: string): string | undefined {
  if (words.length > 1)
    throw usage(`harn tape ${action}: "${words[1]}" is one word too many`, `harn tape ${action} TAPE`);
  return words[0];
}
