import { relative } from "node:path";
import { printable } from "@hooks/core";
import { renderProblems } from "@hooks/manifest";
import { EXIT, usage } from "../exit.js";
import { draft, showDrafts, writeDrafts } from "../files.js";
import { readyLock } from "../locking.js";
import { exitFor } from "../policy.js";
import { isTrusted, trustPolicy } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "lock [--check] [--reason TEXT] [--dry-run] [--manifest FILE] [--json]",
  about: `Writes harn.lock: every package the policy uses, with the hash of each file that can be loaded. From then on every load
refuses what is not exactly that. With a merge conflict in it, it is written anew from what is installed. A version below
the highest that was locked here needs --reason. Packages must come from the registry of their scope, as [policy] registries
and .npmrc have it; those [policy] require_provenance names are verified with what their registry attests.`,
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
    const lock = await readyLock(host, flags.manifest, flags.reason);
    const { path, text, packages, downgrades, problems, differences } = lock;
    if (path === null) throw usage("there is no harn.toml to lock", "run harn init");
    const answer = (written: boolean) =>
      json({
        ok: problems.length === 0 && (!(flags.check || flags.frozen) || differences.length === 0),
        lock: path,
        packages: packages.map(({ name, version, kind, files, resolved = null, provenance = null }) => ({
          name,
          version,
          kind,
          files: files.size,
          resolved,
          provenance,
        })),
        differences: differences.map(({ message }) => message),
        downgrades,
        problems,
        written,
      });
    if (problems.some(({ severity }) => severity === "error")) {
      if (flags.json) answer(false);
      talk(renderProblems(problems, ""));
      return exitFor(problems);
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
