import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { analyse, type SimpleCommand, startOf } from "@hooks/shell";
import { agentUnhooked } from "./agents.js";
import { packagesIn } from "./packages.js";
import { isHookPackage } from "./policy.js";

/** Why a command edits the policy without naming a file of it. */
export interface Change {
  readonly reason: string;
  /** Whether it does, or only may. */
  readonly isCertain: boolean;
}

/** The change of the policy a command makes; undefined when it makes none. */
export function policyCommand(text: string, project: string): Change | undefined {
  let doubt: Change | undefined;
  for (const command of analyse(text, { cwd: project }).commands) {
    const words = wordsOf(command);
    const reason = switchedBy(command) ?? harnVerb(words, command) ?? agentUnhooked(command);
    if (reason !== undefined) return { reason, isCertain: true };
    const change = packageChange(words, command, project);
    if (change?.isCertain === true) return change;
    doubt ??= change;
  }
  return doubt;
}

/** Program and arguments that are certain, options left out. */
function wordsOf({ program, argv }: SimpleCommand): string[] {
  return [program ?? "", ...argv.slice(1).flatMap(({ text }) => (text === null || text.startsWith("-") ? [] : [text]))];
}

// What only says how much is told, or where machine code is kept.
const QUIET: ReadonlySet<string> = new Set(["HARN_DEBUG", "HARN_CODE_CACHE", "HARN_DIGEST"]);
const STATE = /^(?:HOME|XDG_STATE_HOME|XDG_CONFIG_HOME|LOCALAPPDATA)$/;
const SETS = /^(?:export|declare|typeset|readonly|env|sudo|setenv|set)$/;

/** A variable that names another policy, or another place for what was trusted. */
function switchedBy(command: SimpleCommand): string | undefined {
  const { program, argv, assignments } = command;
  const given = SETS.test(program ?? "")
    ? argv.slice(1).flatMap((word) => /^([A-Za-z_]\w*)=/.exec(startOf(word))?.[1] ?? [])
    : [];
  const unset = program === "unset" ? argv.slice(1).map(({ text }) => text ?? "") : [];
  const names = [...assignments.map(({ name }) => name), ...given, ...unset];
  const isHarn = harnAt(wordsOf(command)) !== -1;
  const found = names.find((name) => (name.startsWith("HARN_") && !QUIET.has(name)) || (isHarn && STATE.test(name)));
  return found === undefined ? undefined : `${found} puts another policy in the place of this one`;
}

const RUNNERS: ReadonlySet<string> = new Set(
  "npx bunx pnpx exec dlx x run node bun deno corepack npm pnpm yarn harn".split(" "),
);

/** Where `harn` stands among the words of a command that starts it; -1 where none does. */
function harnAt(words: readonly string[]): number {
  const at = words.findIndex(
    (word, place) =>
      /^(?:harn|.*\/harn)(?:@.*)?$|\/harn\/dist\/[\w./-]+\.[cm]?js$/.test(word) &&
      !(word === "harn" && words[place + 1] === "harn"),
  );
  return words.slice(0, Math.max(0, at)).every((word) => RUNNERS.has(word.replace(/@.*$/, ""))) ? at : -1;
}

const VERBS: ReadonlySet<string> = new Set(["init", "add", "remove", "update", "trust", "untrust", "lock", "new"]);
const LOOKS = /^--(?:status|check|dry-run|help)$/;

/** `harn trust`, however it is started. */
function harnVerb(words: readonly string[], { argv }: SimpleCommand): string | undefined {
  const at = harnAt(words);
  const verb = words.slice(at + 1).find((word) => VERBS.has(word));
  if (at === -1 || verb === undefined || argv.some(({ text }) => LOOKS.test(text ?? ""))) return undefined;
  return `harn ${verb} changes the policy`;
}

const MANAGERS = /^(?:npm|pnpm|yarn|bun|deno)(?:@.*)?$|\/(?:npm|pnpm|yarn|bun)$|\/npm-cli\.js$/;
/** What they do that leaves every package as it is. */
const IDLE: ReadonlySet<string> = new Set(
  "run run-script rum test t tst start stop restart exec x dlx create init view v info show why explain ls list la ll outdated docs home repo bugs help search pack publish whoami ping root bin prefix doctor fund query sbom licenses version config get c cache login logout token team org access owner star stars unstar tag dist-tag deprecate hook node licenses task serve fmt lint check bench doc repl".split(
    " ",
  ),
);
/** What may change every package that is there. */
const BULK: ReadonlySet<string> = new Set(["update", "up", "upgrade", "udpate", "dedupe", "ddp", "audit"]);

/** A package manager that is told to change a package of hooks. */
function packageChange(words: readonly string[], command: SimpleCommand, project: string): Change | undefined {
  const start = words.findIndex((word) => MANAGERS.test(word));
  if (start === -1 || !words.slice(0, start).every((word) => RUNNERS.has(word))) return undefined;
  const manager = (words[start] ?? "").replace(/.*\/|@.*|-cli\.js$/g, "");
  const rest = words.slice(start + 1);
  const [verb = ""] = rest;
  if (IDLE.has(verb)) return undefined;
  const roots = [project, resolve(project, command.cwd.text ?? ".")];
  for (const given of rest) {
    for (const name of namesIn(given, roots)) {
      if (roots.some((root) => isHookPackage(join(root, "node_modules", name))))
        return { reason: `${manager} ${verb} changes ${name}, a package of hooks`, isCertain: true };
    }
  }
  // `npm update` alone, `pnpm up`, `npm audit fix`: whatever is there.
  const isBulk = rest.some((word) => BULK.has(word)) && (rest.length === 1 || rest[1] === "fix");
  if (!isBulk || !packagesIn(project).some(isHookPackage)) return undefined;
  return { reason: `${manager} ${rest.join(" ")} may change packages of hooks`, isCertain: false };
}

/** The packages a word may stand for: a name with a version or a protocol, a directory, an archive, a setting. */
function namesIn(given: string, roots: readonly string[]): string[] {
  const setting = /^(?:pnpm\.)?(?:overrides|resolutions|\w*[dD]ependencies)[.[]["']?([^"'\]=]+)/.exec(given)?.[1];
  const plain = (setting ?? given).replace(/^(?:npm|jsr|workspace):/, "").replace(/(?<=.)@.*$/, "");
  if (/^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(plain)) return [plain];
  const path = given.replace(/^.*@(?=file:|link:|\.)/, "").replace(/^(?:file|link|portal):/, "");
  const own = roots.flatMap((root) => nameOf(resolve(root, path)));
  // A fork or an archive is called like what it takes the place of.
  const last = /([^/]+?)(?:-\d[\w.-]*)?(?:\.tgz|\.tar\.gz|\.git)?(?:#.*)?$/.exec(given)?.[1];
  return last === undefined ? own : [...own, last];
}

function nameOf(directory: string): string[] {
  try {
    const { name } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { name?: unknown };
    return typeof name === "string" ? [name] : [];
  } catch {
    return [];
  }
}
