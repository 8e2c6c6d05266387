import { resolve } from "node:path";
import { EXIT, usage } from "../exit.js";
import { checkPack, printChecks } from "../pack-checks.js";
import { defineVerb } from "../verb.js";

export const verb = defineVerb({
  usage: "pack check [DIR] [--json]",
  about: `Checks a policy pack before it is published: metadata, keyword, dependencies and files of package.json, no install scripts, a
harn.toml that is whole and says which versions of Harn it is for, exports that are there, options schemas, table tests that
pass and show each gate blocking, and a table of all hooks in the README. The tests run its code, so it has to be trusted.`,
  flags: { json: { type: "boolean", about: "one JSON document on standard output" } },
  words: { least: 1, most: 2 },
  examples: [
    { command: "harn pack check", shows: "the pack in this directory" },
    { command: "harn pack check packs/base --json", shows: "another one, for a program" },
  ],
  async run({ flags, words: [action, directory = "."] }, terminal) {
    const { host, json } = terminal;
    if (action !== "check") throw usage(`harn pack has no "${action}"`, "harn pack check");
    const checks = await checkPack(resolve(host.cwd, directory), terminal);
    const ok = checks.every((check) => check.ok);
    if (flags.json) json({ ok, checks });
    else printChecks(checks, terminal);
    return ok ? EXIT.fine : EXIT.findings;
  },
});
