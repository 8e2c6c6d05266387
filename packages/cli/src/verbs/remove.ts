import { dirname, relative } from "node:path";
import { requireManifest, unbind } from "../binding.js";
import { EXIT } from "../exit.js";
import { showDrafts, writeDrafts } from "../files.js";
import { commandOf, findPackageManager, packageHome, readDeclared, runManager } from "../package-manager.js";
import { isTrusted, trustPolicy } from "../trust.js";
import { defineVerb, EDIT_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "remove PACKAGE [--dry-run] [--no-install] [--manifest FILE] [--json]",
  about: `Takes a hook package or a pack out of harn.toml (its hooks, its range, its place in \`extends\`; comments and
formatting stay) and out of package.json, with the package manager of the project.`,
  flags: {
    manifest: EDIT_FLAGS.manifest,
    json: EDIT_FLAGS.json,
    "dry-run": EDIT_FLAGS["dry-run"],
    "no-install": { type: "boolean", about: "leave package.json and node_modules as they are" },
  },
  words: { least: 1, most: 1 },
  examples: [
    { command: "harn remove @hooks/output-cap", shows: "no longer bound, no longer installed" },
    { command: "harn remove @acme/policy-pack --dry-run", shows: "what would change" },
  ],
  async run({ flags, words: [name = ""] }, terminal) {
    const { host, talk, json } = terminal;
    const manifest = await requireManifest(flags.manifest, host.cwd);
    const shown = relative(host.cwd, manifest) || manifest;
    const change = await unbind(manifest, shown, name);
    if (flags["dry-run"]) {
      if (flags.json) json({ ok: true, manifest, package: name, written: false });
      else showDrafts([change], terminal);
      return EXIT.fine;
    }
    // The policy first: were it the other way round, an interruption would leave it naming what is not there.
    const wasTrusted = await isTrusted(host, manifest);
    writeDrafts([change]);
    const home = packageHome(dirname(manifest));
    if (!flags["no-install"] && Object.hasOwn(readDeclared(home), name)) {
      await runManager(commandOf("remove", findPackageManager(home), [name]), home, terminal);
    }
    if (wasTrusted) await trustPolicy(host, manifest);
    if (flags.json) json({ ok: true, manifest, package: name, written: true });
    else talk(`${shown} no longer names ${name}.`);
    return EXIT.fine;
  },
});
