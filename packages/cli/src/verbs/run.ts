import { callback, type Dialect, type DialectName, harn, markdown, settings } from "@hooks/core";
import { answerLine } from "../answer.js";
import { EXIT } from "../exit.js";
import { readLines } from "../lines.js";
import { loadPolicy } from "../policy.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { harn, markdown, settings, callback };

export const verb = defineVerb({
  usage: "run [--manifest FILE] [--dialect NAME] < events.jsonl",
  about: `Answers events, so that any language can ask. Each line of standard input is {"event", "payload"} and may have an
"id"; each is answered, in order, by one line with verdict (allow, ask, block), reason, by, decision, modified,
payload (what the operation must use), reminders, stop, hooks (what each did, or why it did not run) and faults.

A line that cannot be read is answered with a block, unless its event is no gate. While the manifest does not load,
every gate is answered with a block. Either way the exit code is 65. Blank lines ask nothing.`,
  flags: {
    manifest: POLICY_FLAGS.manifest,
    dialect: {
      type: "string",
      value: "NAME",
      choices: ["harn", "markdown", "settings", "callback"],
      about: "the names and payloads of another kind of hook: harn (when absent), markdown, settings, callback",
    },
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
    const loaded = await loadPolicy(flags.manifest, terminal);
    if (!loaded.ok) terminal.talk(loaded.message);
    let isAllReadable = true;
    for await (const { text } of readLines(terminal.host.stdin())) {
      if (text?.trim() === "") continue;
      const { answer, isReadable } = await answerLine(text, loaded.harness, dialect);
      isAllReadable &&= isReadable;
      terminal.json(answer);
    }
    return loaded.ok && isAllReadable ? EXIT.fine : EXIT.data;
  },
});
