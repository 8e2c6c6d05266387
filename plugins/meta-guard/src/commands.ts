import { join } from "node:path";
import { analyse, type SimpleCommand } from "@hooks/shell";
import { isHookPackage } from "./policy.js";

const VERBS: ReadonlySet<string> = new Set(["init", "add", "remove", "trust", "untrust", "lock", "new", "waive"]);
const MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const CHANGES: ReadonlySet<string> = new Set(
  "install i add in isntall uninstall un unlink remove rm r update up upgrade link ln".split(" "),
);
const RUNNERS: ReadonlySet<string> = new Set(["npx", "bunx", "pnpx", "exec", "dlx", "x"]);

/** Why a command edits the policy without naming a file of it; undefined when none does. */
export function policyCommand(text: string, project: string): string | undefined {
  for (const command of analyse(text, { cwd: project }).commands) {
    const found = harnVerb(command) ?? packageChange(command, project);
    if (found !== undefined) return found;
  }
  return undefined;
}

function wordsOf({ argv }: SimpleCommand): string[] {
  return argv.slice(1).flatMap(({ text }) => (text === null || text.startsWith("-") ? [] : [text]));
}

/** `harn trust`, however it is started. */
function harnVerb(command: SimpleCommand): string | undefined {
  const words = [command.program ?? "", ...wordsOf(command)];
  const at = words.findIndex((word) => /^(?:harn|.*\/harn)(?:@.*)?$/.test(word));
  const isStarted =
    at === 0 || words.slice(0, at).every((word) => RUNNERS.has(word) || MANAGERS.has(word) || word === "node");
  const verb = words[at + 1];
  return at !== -1 && isStarted && verb !== undefined && VERBS.has(verb)
    ? `harn ${verb} changes the policy`
    : undefined;
}

/** A package manager that is told to change a package of hooks. */
function packageChange(command: SimpleCommand, project: string): string | undefined {
  const { program } = command;
  if (program === null || !MANAGERS.has(program)) return undefined;
  const [verb, ...names] = wordsOf(command);
  if (verb === undefined || !CHANGES.has(verb)) return undefined;
  for (const given of names) {
    const name = given.replace(/(?<=.)@.*$/, "");
    if (/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name) && isHookPackage(join(project, "node_modules", name))) {
      return `${program} ${verb} changes ${name}, a package of hooks`;
    }
  }
  return undefined;
}
