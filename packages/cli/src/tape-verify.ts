import { relative, resolve } from "node:path";
import { printable } from "@hooks/core";
import { listTapes, recoverTape, type Verification, verifyTape } from "@hooks/tape";
import { EXIT, type Exit } from "./exit.js";
import { openProgress } from "./progress.js";
import { singleTape } from "./tape-show.js";
import { findTape, findTapes, timeOf } from "./tapes.js";
import type { Terminal } from "./terminal.js";

interface VerifyFlags {
  readonly anchor: string | undefined;
  readonly complete: boolean;
  readonly json: boolean;
}

/** Holds every byte of tapes against their chains. */
export async function verifyTapes(words: readonly string[], flags: VerifyFlags, terminal: Terminal): Promise<Exit> {
  const { host, print, json, paint } = terminal;
  const results: (Verification & { readonly tape: string; readonly ok: boolean })[] = [];
  const progress = openProgress(terminal);
  for (const file of findTapes(words, host)) {
    const found = await verifyTape(file, {
      ...(flags.anchor === undefined ? {} : { anchor: flags.anchor }),
      onProgress: (bytes) => progress.show(0, `${relative(host.cwd, file)}: ${Math.round(bytes / 1e6)} MB`),
    });
    progress.clear();
    const isTorn = found.torn !== null && found.torn.writer === null;
    const ok = found.intact && !isTorn && (found.complete || !flags.complete);
    results.push({ tape: relative(host.cwd, file) || file, ok, ...found });
  }
  const isFine = results.every(({ ok }) => ok);
  if (flags.json) {
    json({ ok: isFine, tapes: results.map(({ header: _, ...result }) => result) });
    return isFine ? EXIT.fine : EXIT.findings;
  }
  for (const { tape, ok, intact, torn, records, bytes, head, complete, messages } of results) {
    const word = ok
      ? paint("green", complete ? "intact and complete" : "intact")
      : paint("red", intact ? (torn === null ? "NOT COMPLETE" : "TORN") : "NOT INTACT");
    print(`${printable(tape)}: ${word}, ${records} records, ${bytes} bytes, head ${head}`);
    for (const message of messages) print(printable(`  ${message}`));
    if (torn?.writer === null) print(printable(`  harn tape recover ${tape} cuts them off`));
  }
  return isFine ? EXIT.fine : EXIT.findings;
}

/** Cuts off a record that was never finished. */
export async function recoverOne(
  words: readonly string[],
  flags: { readonly json: boolean },
  { host, print, json }: Terminal,
): Promise<Exit> {
  const file = findTape(singleTape(words, "recover"), host);
  const tape = relative(host.cwd, file) || file;
  const { seq, hash, cut } = recoverTape(file);
  if (flags.json) json({ ok: true, tape, records: seq, head: hash, cut });
  else
    print(
      printable(`${tape}: ${cut === 0 ? "nothing to cut off" : `${cut} bytes cut off`}, ${seq} records, head ${hash}`),
    );
  return EXIT.fine;
}

/** The tapes of a person, or of a directory. */
export async function listAll(
  words: readonly string[],
  flags: { readonly json: boolean },
  { host, print, talk, json }: Terminal,
): Promise<Exit> {
  const directory = singleTape(words, "list");
  const tapes = listTapes(...(directory === undefined ? [] : [resolve(host.cwd, directory)]));
  if (tapes.length === 0) talk(`there is no tape in ${directory ?? "your state directory"}`);
  if (flags.json) {
    json({ ok: true, tapes });
    return EXIT.fine;
  }
  for (const { file, bytes, modified } of tapes) {
    print(printable(`${timeOf(modified)}  ${String(bytes).padStart(10)} bytes  ${relative(host.cwd, file) || file}`));
  }
  return EXIT.fine;
}
