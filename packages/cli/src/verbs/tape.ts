import { nearest } from "@hooks/core";
import { usage } from "../exit.js";
import { exportTape } from "../tape-export.js";
import { showTape, tailTape } from "../tape-show.js";
import { listAll, recoverOne, verifyTapes } from "../tape-verify.js";
import { defineVerb } from "../verb.js";

const ACTIONS = {
  list: listAll,
  show: showTape,
  tail: tailTape,
  verify: verifyTapes,
  export: exportTape,
  recover: recoverOne,
} as const;

/** The flags of all of them; each reads those that are its own. */
export const TAPE_FLAGS = {
  event: { type: "string", value: "NAME", about: "only dispatches of this event (show, tail, export)" },
  verdict: {
    type: "string",
    value: "NAME",
    choices: ["allow", "ask", "block"],
    about: "only dispatches that ended so: allow, ask, block (show, tail, export)",
  },
  hook: { type: "string", value: "ID", about: "only dispatches this hook took part in (show, tail, export)" },
  records: { type: "boolean", about: "every record as it is on the tape, instead of a line for each dispatch (show)" },
  lines: { type: "string", value: "N", about: "how many dispatches; 10 when absent (tail)" },
  follow: { type: "boolean", short: "f", about: "go on with what is written from now on, until ctrl-C (tail)" },
  anchor: { type: "string", value: "HASH", about: "a hash that must be on the tape: one you kept elsewhere (verify)" },
  complete: { type: "boolean", about: "a tape that was not closed is a finding too (verify)" },
  format: { type: "string", value: "NAME", choices: ["jsonl", "csv"], about: "jsonl when absent, or csv (export)" },
  out: { type: "string", value: "FILE", about: "where it is written, instead of standard output (export)" },
  json: { type: "boolean", about: "one JSON document on standard output; tail --follow: one a line" },
} as const;

export const verb = defineVerb({
  usage: "tape list|show|tail|verify|export|recover [TAPE ...] [flags]",
  about: `Reads tapes. Without a TAPE it is the newest of yours, and for verify all of them.

  list    your tapes, the newest first; or those of a directory
  show    a line for each dispatch: when, what was asked, the verdict, who decided and why
  tail    the last of them, and with --follow those that come
  verify  every byte against the hash chain; a change is named with its place, exit code 1
  export  a row for each dispatch, for other programs
  recover cuts off a record that a killed process did not finish`,
  flags: TAPE_FLAGS,
  words: { least: 1, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn tape verify session.jsonl", shows: "whether anybody edited it, and where" },
    { command: "harn tape show --verdict block", shows: "what was refused in your newest session, and why" },
    { command: "harn tape export session.jsonl --format csv --out session.csv", shows: "for a spreadsheet" },
  ],
  async run({ flags, words: [action = "", ...words] }, terminal) {
    if (!Object.hasOwn(ACTIONS, action)) {
      const near = nearest(action, Object.keys(ACTIONS));
      const meant = near === undefined ? "" : ` Did you mean "harn tape ${near}"?`;
      throw usage(`harn tape does not know "${action}".${meant}`, "harn tape --help");
    }
    return ACTIONS[action as keyof typeof ACTIONS](words, flags, terminal);
  },
});
