import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { printable } from "@hooks/core";
import { type Divergence, type Replay, type ReplayOptions, replayTape } from "@hooks/tape";
import { diffLines } from "../diff.js";
import { EXIT, usage } from "../exit.js";
import { openProgress } from "../progress.js";
import { findTapes } from "../tapes.js";
import type { Paint } from "../terminal.js";
import { defineVerb } from "../verb.js";

export const verb = defineVerb({
  usage: "replay [TAPE | DIRECTORY ...] [--out FILE] [--json]",
  about: `Sends the recorded events through the runtime once more, with hooks that answer what the tape says they answered: no
handler runs, and none has to be installed. Every record is made anew and compared. A record that is missing, extra or
different is a divergence, shown with both sides, and the exit code is 1. Without a tape: all of yours.`,
  flags: {
    out: { type: "string", value: "FILE", about: "where the new tape is written; the file must not exist" },
    json: { type: "boolean", about: "one JSON document on standard output" },
  },
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn replay session.jsonl", shows: "whether the session comes out the same, byte for byte" },
    {
      command: "harn replay session.jsonl --out again.jsonl && cmp session.jsonl again.jsonl",
      shows: "the same, seen by somebody else",
    },
  ],
  async run({ flags, words }, terminal) {
    const { host, print, json, paint } = terminal;
    const tapes = findTapes(words, host);
    if (flags.out !== undefined && tapes.length !== 1)
      throw usage("--out is for one tape", "harn replay TAPE --out FILE");
    const to = flags.out === undefined ? {} : { to: resolve(host.cwd, flags.out) };
    const progress = openProgress(terminal);
    const results: (Replay & { readonly tape: string })[] = [];
    for (const file of tapes) {
      const tape = relative(host.cwd, file) || file;
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 1;
      const onProgress: ReplayOptions["onProgress"] = ({ events, bytes }) =>
        progress.show(bytes / size, `${events} events of ${tape}`);
      const replayed = await replayTape(file, { ...to, onProgress });
      progress.clear();
      results.push({ tape, ...replayed });
      if (!flags.json) for (const line of linesOf(tape, replayed, paint)) print(line);
    }
    const isSame = results.every(({ identical }) => identical);
    if (flags.json) json({ ok: isSame, tapes: results });
    return isSame ? EXIT.fine : EXIT.findings;
  },
});

function linesOf(tape: string, { identical, events, records, divergences }: Replay, paint: Paint): string[] {
  const word = identical ? paint("green", "identical") : paint("red", "not the same");
  return [
    `${printable(tape)}: ${events} events, ${records} records: ${word}`,
    ...divergences.flatMap((one) => sides(one, paint)),
  ];
}

function sides({ message, recorded, replayed }: Divergence, paint: Paint): string[] {
  const changed = diffLines(recorded, replayed, "record").map(
    (line) => `    ${paint(line.startsWith("-") ? "red" : "green", line)}`,
  );
  return ["", `  ${printable(message)}`, ...changed];
}
