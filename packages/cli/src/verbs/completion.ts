import { nearest } from "@hooks/core";
import { completionScript, SHELLS, type Shell } from "../completion.js";
import { EXIT, usage } from "../exit.js";
import { defineVerb } from "../verb.js";
import { verbs } from "../verbs.js";

export const verb = defineVerb({
  usage: `completion ${SHELLS.join("|")} [--json]`,
  about: "Prints the script that completes verbs, flags and their values.",
  flags: { json: { type: "boolean", about: "one JSON document with the script in it" } },
  words: { least: 1, most: 1 },
  examples: [
    { command: 'eval "$(harn completion bash)"', shows: "for this shell; put it into ~/.bashrc for all" },
    { command: "harn completion fish > ~/.config/fish/completions/harn.fish", shows: "for fish" },
  ],
  async run({ flags, words: [shell = ""] }, { print, json }) {
    if (!SHELLS.includes(shell as Shell)) {
      const near = nearest(shell, SHELLS);
      throw usage(
        `there is no completion for "${shell}".${near === undefined ? "" : ` Did you mean "${near}"?`}`,
        `it knows ${SHELLS.join(", ")}`,
      );
    }
    const known = await Promise.all(
      Object.entries(verbs).map(async ([name, { summary, load }]) => ({
        name,
        summary,
        flags: (await load()).verb.flags,
      })),
    );
    const script = completionScript(shell as Shell, known);
    if (flags.json) json({ ok: true, shell, script });
    else print(script.trimEnd());
    return EXIT.fine;
  },
});
