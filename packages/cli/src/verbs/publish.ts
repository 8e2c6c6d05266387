import { resolve } from "node:path";
import { EXIT } from "../exit.js";
import { checkPack, printChecks } from "../pack-checks.js";
import { findPackageManager, publishCommand, readPackage, runManager } from "../package-manager.js";
import { refuseOtherRegistry, registryFor, withSlash } from "../registry.js";
import { defineVerb } from "../verb.js";

export const verb = defineVerb({
  usage:
    "publish [DIR] [--dry-run] [--registry URL] [--tag TAG] [--access public|restricted] [--otp CODE] [--provenance] [--json]",
  about: `Publishes a policy pack: everything \`harn pack check\` looks at must be right, and then the package manager's own publish
runs, with the scripts of the package off: what was checked is what is published. Says which registry it goes to, which is
the one .npmrc names for the scope unless --registry names another.`,
  flags: {
    "dry-run": { type: "boolean", about: "check it and go through the motions; nothing is uploaded" },
    registry: { type: "string", value: "URL", about: "the registry, instead of the one that is configured" },
    tag: { type: "string", value: "TAG", about: "the tag it gets; latest when absent" },
    access: { type: "string", value: "WHO", choices: ["public", "restricted"], about: "who may install it" },
    otp: { type: "string", value: "CODE", about: "a one-time password, where the registry asks for one" },
    provenance: { type: "boolean", about: "have it attested where it was built; in CI, with npm" },
    json: { type: "boolean", about: "one JSON document on standard output" },
  },
  words: { least: 0, most: 1 },
  examples: [
    {
      command: "harn publish --dry-run",
      shows: "whether the pack in this directory can be published, and what would be",
    },
    { command: "harn publish packs/base --tag next", shows: "another one, under a tag of its own" },
  ],
  async run({ flags, words: [directory = "."] }, terminal) {
    const { host, json, talk } = terminal;
    const root = resolve(host.cwd, directory);
    const checks = await checkPack(root, terminal);
    const ok = checks.every((check) => check.ok);
    if (!flags.json) printChecks(checks, terminal);
    if (!ok) {
      if (flags.json) json({ ok, checks, published: false });
      else talk("nothing was published: put right what failed first");
      return EXIT.findings;
    }
    const { name, version, publishConfig } = readPackage(root) as {
      name: string;
      version: string;
      publishConfig?: object;
    };
    const registry =
      flags.registry === undefined ? await registryFor(name, root, host.env, publishConfig) : withSlash(flags.registry);
    await refuseOtherRegistry({ cwd: root, env: host.env }, name, registry);
    const command = publishCommand(findPackageManager(root), root, {
      name,
      registry,
      isDryRun: flags["dry-run"],
      tag: flags.tag,
      access: flags.access,
      otp: flags.otp,
      isAttested: flags.provenance,
    });
    talk(`${name} ${version} ${flags["dry-run"] ? "would go" : "goes"} to ${registry}`);
    await runManager(command, root, terminal);
    const published = !flags["dry-run"];
    if (flags.json) json({ ok, checks, package: name, version, registry, published });
    else talk(published ? `published ${name} ${version}` : "nothing was published: this was a dry run");
    return EXIT.fine;
  },
});
