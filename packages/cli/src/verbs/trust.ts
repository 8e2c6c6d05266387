import { createHash } from "node:crypto";
import { printable } from "@hooks/core";
import { type Content, readContent, type TrustRecord, type TrustStore } from "@hooks/manifest";
import { confirm } from "../ask.js";
import { unifiedDiff } from "../diff.js";
import { EXIT, usage } from "../exit.js";
import type { Terminal } from "../terminal.js";
import { trustedBy, trustStore } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "trust [--status] [--revoke] [--yes] [--manifest FILE] [--json]",
  about: `Trusts the policy of this project as it is now: its manifests, hooks, modules, scripts and the bytes of its packages.
Until then nothing of it runs, and every gate blocks. What changed since it was last trusted is shown first. Trust belongs
to the content, is kept outside of the project, and ends with the next change. HARN_TRUST=DIGEST says the same for one
process, where there is no person.`,
  flags: {
    ...POLICY_FLAGS,
    status: { type: "boolean", about: "whether it is trusted, and its digest; exit 77 when it is not" },
    revoke: { type: "boolean", about: "trust it no longer" },
    yes: { type: "boolean", short: "y", about: "ask nothing" },
  },
  examples: [
    { command: "harn trust", shows: "look at what is new, and trust it" },
    { command: "harn trust --status --json", shows: "for a script" },
  ],
  async run({ flags }, terminal) {
    const { host, json, talk } = terminal;
    if (flags.status && flags.revoke) throw usage("--status looks and --revoke changes", "harn trust --status");
    const named = flags.manifest === undefined ? {} : { manifest: flags.manifest };
    const { root, content } = await readContent({ cwd: host.cwd, ...named });
    const store = trustStore(host.env);
    const place = root ?? host.cwd;
    const last = store.last(place);
    const { digest, packages } = content;
    const changes = changesOf(content, last);
    const answer = (trusted: boolean) =>
      json({ ok: true, root: place, digest, trusted, files: [...content.files.keys()].sort(), packages, changes });
    if (flags.revoke) store.remove(digest);
    const isTrusted = trustedBy(host.env)(digest);
    if (flags.status || flags.revoke) {
      if (flags.json) answer(isTrusted);
      else talk(`${isTrusted ? "trusted" : "not trusted"}: ${digest}`);
      return isTrusted || flags.revoke ? EXIT.fine : EXIT.untrusted;
    }
    if (root === null) talk("there is no policy here: nothing to trust");
    else if (!isTrusted) {
      if (!flags.json) show(content, last, store, terminal);
      if (!flags.yes && !host.isInteractive)
        throw usage("nobody is here to be asked", "look at it, then harn trust --yes");
      const isWanted = flags.yes || (await confirm("Trust it?"));
      if (!isWanted) {
        talk("Nothing was trusted.");
        return EXIT.untrusted;
      }
      store.add(content, place, new Date());
    }
    if (flags.json) answer(true);
    else if (root !== null) talk(`trusted: ${digest}`);
    return EXIT.fine;
  },
});

function changesOf({ files, packages }: Content, last: TrustRecord | null) {
  const before = last?.files ?? {};
  const now = new Map([...files].map(([name, bytes]) => [name, hashOf(bytes)]));
  return {
    added: [...now.keys()].filter((name) => !Object.hasOwn(before, name)).sort(),
    changed: [...now]
      .filter(([name, hash]) => Object.hasOwn(before, name) && before[name] !== hash)
      .map(([name]) => name),
    removed: Object.keys(before).filter((name) => !now.has(name)),
    packages: packages.filter((name) => last?.packages.includes(name) !== true),
  };
}

/** What a person is asked to trust: the difference to what was trusted here before, or all there is. */
function show(content: Content, last: TrustRecord | null, store: TrustStore, { print, paint }: Terminal): void {
  const { added, changed, removed, packages } = changesOf(content, last);
  for (const name of last === null ? [] : changed) {
    const before = store.read(last?.files[name] ?? "");
    for (const line of unifiedDiff(name, before, String(content.files.get(name) ?? ""))) {
      print(paint(line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim", printable(line)));
    }
  }
  for (const name of added) print(paint("green", printable(`+ ${name}`)));
  for (const name of removed) print(paint("red", printable(`- ${name}`)));
  for (const name of packages) print(paint("green", printable(`+ package ${name}`)));
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
