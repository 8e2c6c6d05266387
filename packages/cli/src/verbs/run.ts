import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { callback, type Dialect, type DialectName, harn, markdown, printable, settings } from "@hooks/core";
import type { Tape } from "@hooks/tape";
import { answerLine, answerUnfinished } from "../answer.js";
import { clockOrigin } from "../clock.js";
import { EXIT, usage } from "../exit.js";
import { readLines } from "../lines.js";
import { exitFor, loadPolicy } from "../policy.js";
import { defineVerb, MASK_FLAG, POLICY_FLAGS } from "../verb.js";

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { harn, markdown, settings, callback };

export const verb = defineVerb({
  usage: "run [--manifest FILE] [--dialect NAME] [--tape FILE [--mask PATH ...]] < events.jsonl",
  about: `Answers events, so that any language can ask. Each line of standard input is {"event", "payload"} and may have an
"id"; each is answered, in order, by one line with verdict (allow, ask, block), reason, by, decision, modified,
payload (what the operation must use), reminders, stop, hooks (what each did, or why it did not run) and faults.

A line that cannot be read is answered with a block, unless its event is no gate. While the manifest does not load,
every gate is answered with a block. Either way the exit code is 65. Blank lines ask nothing.

With --tape every event is recorded before it is answered: in a new file, or at the end of one that is there. A tape
that cannot be written is a block at every gate, and exit code 74.`,
  flags: {
    manifest: POLICY_FLAGS.manifest,
    dialect: {
      type: "string",
      value: "NAME",
      choices: ["harn", "markdown", "settings", "callback"],
      about: "the names and payloads of another kind of hook: harn (when absent), markdown, settings, callback",
    },
    tape: { type: "string", value: "FILE", about: "record every event on this tape" },
    mask: MASK_FLAG,
    json: { type: "boolean", about: "what it does anyway" },
  },
  examples: [
    {
      command: `echo '{"event": "PreToolUse", "payload": {"tool": {"name": "Bash", "args": {"command": "ls"}}}}' | harn run`,
      shows: "one event",
    },
    { command: "harn run --dialect settings < recorded.jsonl", shows: "events as executables see them" },
  ],
  async run({ flags }, terminal) {
    const dialect = DIALECTS[flags.dialect ?? "harn"];
    if (flags.mask.length > 0 && flags.tape === undefined)
      throw usage("--mask is for a tape", "harn run --tape FILE --mask PATH");
    let digest: string | null = null;
    const tape =
      flags.tape === undefined
        ? null
        : await openRunTape(resolve(terminal.host.cwd, flags.tape), flags.mask, () => digest);
    if (tape !== null && tape.cut > 0) {
      terminal.talk(
        printable(`warning: ${flags.tape} ended in a record that was never finished: ${tape.cut} bytes were cut off`),
      );
    }
    const loaded = await loadPolicy(flags.manifest, terminal, tape === null ? {} : { tape });
    if (loaded.ok) digest = loaded.harness.digest;
    else terminal.talk(loaded.message);
    let isAllReadable = true;
    let asked: { readonly text: string | null } | null = null;
    process.once("exit", () => {
      if (asked === null) return;
      terminal.json(answerUnfinished(asked.text, dialect, "a hook ended the process before this was answered"));
    });
    for await (const { text } of readLines(terminal.host.stdin())) {
      if (text?.trim() === "") continue;
      asked = { text };
      const { answer, isReadable } = await answerLine(text, loaded.harness, dialect);
      asked = null;
      isAllReadable &&= isReadable;
      terminal.json(answer);
    }
    await tape?.close();
    if (!loaded.ok) return exitFor(loaded.problems);
    return isAllReadable ? EXIT.fine : EXIT.data;
  },
});

/** A tape at this place, new or gone on with. What knows tapes is loaded only for whoever wants one. */
async function openRunTape(file: string, paths: readonly string[], policy: () => string | null): Promise<Tape> {
  const { openTape, resumeTape } = await import("@hooks/tape");
  const options = { file, session: "local", policy, mask: { paths }, origin: clockOrigin() };
  return existsSync(file) ? resumeTape(options) : openTape(options);
}
