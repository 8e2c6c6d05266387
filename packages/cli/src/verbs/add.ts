import { dirname, relative } from "node:path";
import { confirm } from "../ask.js";
import { bindOffers, readEditable, requireManifest } from "../binding.js";
import { EXIT } from "../exit.js";
import { showDrafts, writeDrafts } from "../files.js";
import { type Offer, offerLines, readOffer } from "../offer.js";
import { commandOf, findPackageManager, packageHome, readDeclared, runManager } from "../package-manager.js";
import { refuseOtherRegistry } from "../registry.js";
import { isTrusted, trustPolicy } from "../trust.js";
import { defineVerb, EDIT_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "add PACKAGE ... [--yes] [--dry-run] [--no-install] [--manifest FILE] [--json]",
  about: `Installs hook packages with the package manager of the project, install scripts off, shows what each of them offers
(events, capabilities, options), and binds it in harn.toml: comments and formatting stay. A policy pack goes into
\`extends\`. Nothing of a package has run when you are asked. PACKAGE is anything the package manager takes.`,
  flags: EDIT_FLAGS,
  words: { least: 1, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn add @hooks/command-guard", shows: "install it, look at it, bind it" },
    {
      command: "harn add @hooks/output-cap --no-install --dry-run",
      shows: "what binding an installed one would change",
    },
  ],
  async run({ flags, words }, terminal) {
    const { host, talk, json } = terminal;
    const manifest = await requireManifest(flags.manifest, host.cwd);
    // Before anything is installed for nothing.
    const text = await readEditable(manifest);
    const wasTrusted = await isTrusted(host, manifest);
    const home = packageHome(dirname(manifest));
    const manager = findPackageManager(home);
    const before = readDeclared(home);
    const installs = !flags["no-install"] && !flags["dry-run"];
    for (const word of installs ? words : []) {
      const [, name = ""] = /^((?:@[^/@]+\/)?[^/@]+)(?:@|$)/.exec(word) ?? [];
      await refuseOtherRegistry({ env: host.env, cwd: home }, name);
    }
    if (installs) await runManager(commandOf("add", manager, words), home, terminal);
    const names = namesOf(words, before, readDeclared(home));
    const offers: Offer[] = [];
    try {
      for (const name of names) offers.push(await readOffer(name, dirname(manifest)));
    } catch (error) {
      await undo();
      throw error;
    }
    if (!flags.json) for (const line of offers.flatMap((offer) => offerLines(offer, terminal.paintTalk))) talk(line);
    const change = await bindOffers(manifest, text, offers);
    const name = relative(host.cwd, manifest) || manifest;
    const isWanted =
      flags["dry-run"] ||
      flags.yes ||
      !host.isInteractive ||
      (await confirm(`Bind ${names.join(" and ")} in ${name}?`));
    if (!isWanted) {
      await undo();
      talk("Nothing was changed.");
      return EXIT.findings;
    }
    const written = !flags["dry-run"] && change.before !== change.after;
    if (written) {
      writeDrafts([change]);
      if (wasTrusted) await trustPolicy(host, manifest);
    }
    if (flags.json) json({ ok: true, manifest, packages: offers, written });
    else if (flags["dry-run"]) showDrafts([change], terminal);
    else talk(written ? `${name} binds ${names.join(" and ")} now.` : `${name} binds ${names.join(" and ")} already.`);
    if (written && !flags.json) for (const line of offers.flatMap(openOptions)) talk(line);
    return EXIT.fine;

    /** Takes out again what was installed for nothing. */
    async function undo(): Promise<void> {
      const fresh = names.filter((each) => !Object.hasOwn(before, each) && Object.hasOwn(readDeclared(home), each));
      if (installs && fresh.length > 0) await runManager(commandOf("remove", manager, fresh), home, terminal);
    }
  },
});

/** What a person still has to say before the policy loads. */
function openOptions({ name, hooks }: Offer): string[] {
  return hooks.flatMap(({ export: key, options }) => {
    const open = options.filter((option) => option.required && !("default" in option)).map((option) => option.name);
    if (open.length === 0) return [];
    return [
      `${name}::${key} needs options = { ${open.map((option) => `${option} = ...`).join(", ")} }; harn validate checks them`,
    ];
  });
}

/** The names of what was added: those that are new in package.json, or that were named as they are called. */
function namesOf(
  words: readonly string[],
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const changed = Object.keys(after).filter((name) => before[name] !== after[name]);
  const named = words.flatMap((word) => /^(@[^/]+\/)?[\w.~-]+(?=@|$)/.exec(word)?.[0] ?? []);
  return [...new Set([...named.filter((name) => Object.hasOwn(after, name) || !name.includes(".")), ...changed])];
}
