import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { compileGlobs, type Globs, resolveReal } from "@hooks/paths";
import { packagesIn, placeOf } from "./packages.js";

/** Hook settings of agents, the same in a project and in a home directory. */
const AGENTS: readonly string[] = [
  ".claude/{settings*.json,hooks,managed-settings*}",
  ".codex/{hooks.json,hooks,config.toml,requirements.toml}",
  ".gemini/{settings.json,hooks}",
  ".cursor/{hooks.json,hooks}",
  ".opencode/{plugin,plugins,opencode.json,opencode.jsonc}",
  ".copilot/{config.json,settings.json,hooks}",
];

/** Everything that decides what an agent may do. */
const POLICY: readonly string[] = [
  "harn.toml",
  "harn.lock",
  "harness.md",
  ".harness",
  ...AGENTS.map((glob) => `**/${glob}`),
  "**/.github/{hooks,copilot}",
  "opencode.{json,jsonc}",
  ...AGENTS.map((glob) => `~/${glob}`),
  "~/.config/{opencode,harn}",
  "~/.local/state/harn",
  "~/Library/Application Support/harn",
  "/etc/{harn,claude-code,codex,gemini-cli,github-copilot,cursor,opencode}",
  "/Library/Application Support/{ClaudeCode,GeminiCli,Cursor,harn}",
];

/** Names that are looked for when a whole directory is moved or removed. */
const MARKS: readonly string[] = [
  "harn.toml",
  "harn.lock",
  "harness.md",
  ".harness",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/hooks",
  ".codex/hooks.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".cursor/hooks.json",
  ".opencode/plugins",
  ".opencode/plugin",
  ".github/hooks",
  "opencode.json",
  ".copilot/config.json",
  ".config/opencode",
];

/** What of a project is its policy. */
export interface Policy {
  readonly home: string;
  readonly project: string;
  readonly isProtected: Globs;
  /** Paths inside of the project that are protected, for whoever removes what they are in. */
  readonly marks: readonly string[];
}

const policies = new Map<string, { readonly stamp: string; readonly policy: Policy }>();

/** The policy of a project as its manifest is now. */
export function policyOf(project: string, protect: readonly string[]): Policy {
  const key = JSON.stringify([project, protect]);
  const stamp = stampOf(join(project, "harn.toml"));
  const known = policies.get(key);
  if (known?.stamp === stamp) return known.policy;
  const policy = readPolicy(project, protect);
  policies.set(key, { stamp, policy });
  return policy;
}

/** What changes when a file does. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

function readPolicy(project: string, protect: readonly string[]): Policy {
  const root = resolveReal(project).path;
  const home = resolveReal(homedir()).path;
  const linked = packagesIn(root).filter(isHookPackage).map(placeOf);
  const own = [...ownFiles(root), ...linked.filter((path) => !path.startsWith(`${root}/node_modules/`))];
  const around = { roots: [root], home, isGenerous: true };
  return {
    home,
    project: root,
    // A path of its own is no pattern.
    isProtected: compileGlobs([...POLICY, ...own.map((path) => path.replace(/[*?[\\]/g, "\\$&")), ...protect], around),
    marks: [...MARKS.map((name) => join(root, name)), ...own, ...MARKS.map((name) => join(home, name))],
  };
}

/** Modules, directories and programs the manifest names: code that decides is policy as well. */
function ownFiles(root: string): string[] {
  let text: string;
  try {
    text = readFileSync(join(root, "harn.toml"), "utf8");
  } catch {
    return [];
  }
  const files = [...sections(text, "exports"), ...sections(text, "sources")].flatMap(quoted);
  const programs = [...text.matchAll(/^[ \t]*command[ \t]*=[ \t]*(\[[^\]]*\])/gm)].flatMap(([, list = ""]) =>
    quoted(list),
  );
  const paths = [...files, ...programs.filter((word) => /[./]/.test(word) && !word.startsWith("-"))];
  // The project itself is no part of its policy.
  return paths.map((path) => resolve(root, path)).filter((path) => path.startsWith(`${root}/`));
}

/** What stands in a table of a manifest. */
function sections(text: string, name: string): string[] {
  const parts = text.split(/^[ \t]*(?=\[)/m);
  return parts
    .filter((part) => new RegExp(`^\\[[ \\t]*"?${name}"?[ \\t]*\\]`).test(part))
    .map((part) => part.slice(part.indexOf("]") + 1));
}

function quoted(text: string): string[] {
  return [...text.matchAll(/=?[^=\n"']*?(?:"([^"\n]*)"|'([^'\n]*)')/g)].map(
    ([, double, single]) => double ?? single ?? "",
  );
}

/** The package a file belongs to, when that is a package of hooks or a pack. */
export function hookPackageOf(path: string): string | undefined {
  const [, root = "", name = ""] = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name === "" ? undefined : isHookPackage(join(root, name)) ? name : undefined;
}

/** Whether a directory holds a package that says of itself that it brings hooks. */
export function isHookPackage(directory: string): boolean {
  try {
    const { harn, keywords } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      harn?: unknown;
      keywords?: unknown;
    };
    return (
      harn !== undefined ||
      (Array.isArray(keywords) && keywords.some((word) => word === "harn-pack" || word === "harn-hook"))
    );
  } catch {
    // A package that lost its description on the way is none any more; its first-party siblings are known by name.
    return dirname(directory).endsWith("/node_modules/@hooks");
  }
}
