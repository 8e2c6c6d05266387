import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { nearest } from "@hooks/core";
import { CliError, EXIT, usage } from "../exit.js";
import { draft, showDrafts, writeDrafts } from "../files.js";
import { scaffoldHook } from "../scaffolds/hook.js";
import { scaffoldPack } from "../scaffolds/pack.js";
import { defineVerb, EDIT_FLAGS } from "../verb.js";

/** What can be made: the files of each, for a name. */
const SCAFFOLDS: Readonly<Record<string, (name: string) => Readonly<Record<string, string>>>> = {
  hook: scaffoldHook,
  pack: scaffoldPack,
};

const PACKAGE_NAME = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;

export const verb = defineVerb({
  usage: `new ${Object.keys(SCAFFOLDS).join("|")} NAME [--directory DIR] [--dry-run] [--json]`,
  about: `Makes a package to start from, ready to be published: the hook, its description, an options schema, a test that shows
it blocking, CI and a README. It is made in a directory of its own, named after the package.`,
  flags: {
    directory: { type: "string", value: "DIR", about: "where, instead of a directory named after the package" },
    "dry-run": EDIT_FLAGS["dry-run"],
    json: EDIT_FLAGS.json,
  },
  words: { least: 2, most: 2 },
  examples: [
    { command: "harn new hook @acme/no-reboot", shows: "a hook package in no-reboot/" },
    { command: "harn new hook no-reboot --dry-run", shows: "the files it would have" },
  ],
  async run({ flags, words: [kind = "", name = ""] }, terminal) {
    const { host, json, talk } = terminal;
    const scaffold = Object.hasOwn(SCAFFOLDS, kind) ? SCAFFOLDS[kind] : undefined;
    if (scaffold === undefined) {
      const near = nearest(kind, Object.keys(SCAFFOLDS));
      const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
      throw usage(`there is no new "${kind}".${meant}`, `it makes ${Object.keys(SCAFFOLDS).join(", ")}`);
    }
    if (!PACKAGE_NAME.test(name)) throw usage(`"${name}" cannot be the name of a package`, "harn new hook no-reboot");
    const directory = resolve(host.cwd, flags.directory ?? name.replace(/^.*\//, ""));
    const shown = relative(host.cwd, directory) || ".";
    if (existsSync(directory) && readdirSync(directory).length > 0) {
      throw new CliError("HARN_E_EXISTS", EXIT.data, `${shown} is there and not empty`, "choose another --directory");
    }
    const drafts = Object.entries(scaffold(name)).map(([file, text]) => draft(join(directory, file), text));
    const files = drafts.map(({ path }) => relative(host.cwd, path));
    if (!flags["dry-run"]) writeDrafts(drafts);
    if (flags.json) json({ ok: true, directory, files, written: !flags["dry-run"] });
    else if (flags["dry-run"]) showDrafts(drafts, terminal);
    else {
      for (const file of files) terminal.print(file);
      talk(`\nNext:\n  cd ${shown}\n  npm install --ignore-scripts\n  npm test`);
    }
    return EXIT.fine;
  },
});
