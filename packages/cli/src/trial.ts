import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { type LockedPackage, Packages, readContent } from "@hooks/manifest";
import { readPackage, runManager } from "./package-manager.js";
import type { Terminal } from "./terminal.js";

/** A copy of a project's policy with other versions of its packages, beside the project and not in it. */
export interface Trial {
  readonly manifest: string;
  readonly root: string;
  remove(): void;
}

/** What the packages of a trial are: a name, and a version, a range or a tag. */
export type Wishes = ReadonlyMap<string, string>;

/**
 * Copies the files of a policy into a directory of its own, and installs its packages there: those that are wished for as
 * they are wished, all others as they are. Nothing of the project is touched.
 */
export async function prepareTrial(
  { manifest, home }: { readonly manifest: string; readonly home: string },
  locked: readonly LockedPackage[],
  wishes: Wishes,
  terminal: Terminal,
): Promise<Trial> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "harn-update-")));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const place = relative(home, dirname(manifest));
    const { content } = await readContent({ cwd: dirname(manifest), manifest });
    for (const [name, bytes] of content.files) {
      const target = join(root, place, name);
      if (!target.startsWith(join(root, place))) continue;
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, bytes);
    }
    // The nearest root of a repository is where a search for a policy ends.
    mkdirSync(join(root, ".git"), { recursive: true });
    if (existsSync(join(home, ".npmrc"))) cpSync(join(home, ".npmrc"), join(root, ".npmrc"));
    const dependencies = await dependenciesOf(dirname(manifest), locked, wishes);
    const { name = "trial", version = "0.0.0", type, exports: own, main, harn } = readPackage(home) ?? {};
    const description = { name, version, private: true, type, exports: own, main, harn, dependencies };
    writeFileSync(join(root, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
    await runManager(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], root, terminal);
    return { manifest: join(root, relative(home, manifest)), root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Everything the policy uses directly; what that depends on follows from it. */
async function dependenciesOf(
  directory: string,
  locked: readonly LockedPackage[],
  wishes: Wishes,
): Promise<Record<string, string>> {
  const installed = new Packages(directory);
  const wanted: Record<string, string> = {};
  for (const { name, version } of locked) {
    const found = await installed.find(name);
    // What is nested in another package, or is another version of one that is not, comes with whoever needs it.
    if (found === undefined || "broken" in found || found.version !== version) continue;
    const isLinked = !found.root.split(/[\\/]/).includes("node_modules");
    wanted[name] = wishes.get(name) ?? (isLinked ? `file:${found.root}` : version);
  }
  for (const [name, wish] of wishes) wanted[name] = wish;
  return wanted;
}
