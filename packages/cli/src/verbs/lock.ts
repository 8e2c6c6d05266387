import { relative } from "node:path";
import { printable } from "@hooks/core";
import { makeLock, readContent, renderProblems, type Seen } from "@hooks/manifest";
import { EXIT, usage } from "../exit.js";
import { draft, showDrafts, writeDrafts } from "../files.js";
import type { Host } from "../terminal.js";
import { isTrusted, trustPolicy, trustStore } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "lock [--check] [--reason TEXT] [--dry-run] [--manifest FILE] [--json]",
  about: `Writes harn.lock: every package the policy uses, with the hash of each file that can be loaded. From then on every load
refuses what is not exactly that. With a merge conflict in it, it is written anew from what is installed. A version below
the highest that was locked here needs --reason.`,
  flags: {
    ...POLICY_FLAGS,
    check: { type: "boolean", about: "write nothing; exit 77 when what is installed is not what is locked" },
    frozen: { type: "boolean", about: "the same as --check" },
    reason: { type: "string", value: "TEXT", about: "why a package goes back to a lower version; it is written down" },
    "dry-run": { type: "boolean", about: "show what would change, and change nothing" },
  },
  examples: [
    { command: "harn lock", shows: "after an install, or a merge" },
    { command: "harn lock --check", shows: "in CI" },
  ],
  async run({ flags }, terminal) {
    const { host, json, talk } = terminal;
    const named = flags.manifest === undefined ? {} : { manifest: flags.manifest };
    const lock = await makeLock(
      { cwd: host.cwd, ...named },
      { reason: flags.reason, seen: await seenHere(host, named) },
    );
    const { path, text, packages, downgrades, problems, differences } = lock;
    if (path === null) throw usage("there is no harn.toml to lock", "run harn init");
    const answer = (written: boolean) =>
      json({
        ok: problems.length === 0 && (!(flags.check || flags.frozen) || differences.length === 0),
        lock: path,
        packages: packages.map(({ name, version, kind, files }) => ({ name, version, kind, files: files.size })),
        differences: differences.map(({ message }) => message),
        downgrades,
        problems,
        written,
      });
    if (problems.some(({ severity }) => severity === "error")) {
      if (flags.json) answer(false);
      talk(renderProblems(problems, ""));
      return EXIT.data;
    }
    const change = draft(path, text);
    if (flags.check || flags.frozen) {
      if (flags.json) answer(false);
      const isLocked = change.before !== null && differences.length === 0;
      for (const { message } of change.before === null ? [] : differences) talk(printable(message));
      if (!isLocked) talk(change.before === null ? "there is no harn.lock" : "run harn lock once you know why");
      return isLocked ? EXIT.fine : EXIT.untrusted;
    }
    if (downgrades.length > 0 && flags.reason === undefined) {
      for (const { name, version, highest } of downgrades)
        talk(printable(`${name} ${version}: ${highest} was locked before`));
      throw usage("a package would go back to a lower version", 'say why: harn lock --reason "2.1.0 breaks the build"');
    }
    const written = !flags["dry-run"] && change.before !== change.after;
    if (written) {
      const wasTrusted = await isTrusted(host, flags.manifest);
      writeDrafts([change]);
      if (wasTrusted) await trustPolicy(host, flags.manifest);
    }
    if (flags.json) answer(written);
    else if (flags["dry-run"]) showDrafts([change], terminal);
    else
      talk(
        `${relative(host.cwd, path)} ${written ? "locks" : "already locks"} ${packages.length} ${packages.length === 1 ? "package" : "packages"}`,
      );
    return EXIT.fine;
  },
});

/** The versions that were last trusted here: removing the lock must not forget them. */
async function seenHere(host: Pick<Host, "cwd" | "env">, named: { readonly manifest?: string }): Promise<Seen[]> {
  const { root } = await readContent({ cwd: host.cwd, ...named });
  const { packages = [] } = trustStore(host.env).last(root ?? host.cwd) ?? {};
  return packages.map((text) => {
    const at = text.lastIndexOf("@");
    return { name: text.slice(0, at), version: text.slice(at + 1) };
  });
}
