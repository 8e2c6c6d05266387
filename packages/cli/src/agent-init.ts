import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import {
  type Agent,
  type AgentName,
  agentNames,
  agents,
  type FileChange,
  type InstallOptions,
  installedCommands,
  installedEvents,
  planInstall,
  planUninstall,
  quote,
  UnusableSettings,
} from "@hooks/agents";
import { messageOf } from "@hooks/core";
import { findManifest } from "@hooks/manifest";
import { ensurePrivateDirectory, stateDirectory } from "@hooks/tape";
import { CliError, EXIT, type Exit, usage } from "./exit.js";
import { draft, showDrafts, writeDrafts } from "./files.js";
import { inspectPolicy } from "./policy.js";
import type { Host, Terminal } from "./terminal.js";
import { isTrusted } from "./trust.js";
import type { Flags } from "./verb.js";

/** The flags of `harn init` that speak of agents. */
export const AGENT_FLAGS = {
  agent: {
    type: "string",
    value: "NAME",
    choices: agentNames,
    about: `wire the policy into an agent: ${agentNames.join(", ")}`,
  },
  user: { type: "boolean", about: "with --agent: in your own settings, for every project, instead of this project's" },
  uninstall: {
    type: "boolean",
    about: "with --agent: take it out again; a file nobody changed since is restored byte for byte",
  },
  command: { type: "string", value: "CMD", about: "with --agent: what runs harn, instead of this installation" },
  manifest: {
    type: "string",
    value: "FILE",
    about: "with --agent: the policy that is always asked, instead of the nearest",
  },
} as const satisfies Flags;

export interface AgentFlags {
  readonly agent: AgentName;
  readonly user: boolean;
  readonly uninstall: boolean;
  readonly command: string | undefined;
  readonly manifest: string | undefined;
  readonly "dry-run": boolean;
  readonly json: boolean;
}

/** `harn init --agent`: merges Harn's hooks into an agent's settings, or takes them out. */
export async function initAgent(flags: AgentFlags, terminal: Terminal): Promise<Exit> {
  const { host, talk, json } = terminal;
  const agent = agents[flags.agent];
  const options = await optionsOf(flags, host);
  const changes = flags.uninstall
    ? restored(planned(() => planUninstall(agent, options)))
    : planned(() => planInstall(agent, options));
  const changed = changes.filter(({ path, text }) => readText(path) !== text);
  if (!flags["dry-run"]) {
    // What is there already is remembered too: somebody else may have written it.
    if (flags.uninstall) changed.forEach(takeOut);
    else for (const change of changes) putIn(agent, change);
  }
  const shown = changed.map(({ path, text }) => ({ path, action: text === null ? "remove" : "write" }));
  const events = flags.uninstall ? [] : installedEvents(agent, options.wanted);
  if (flags.json) {
    json({ ok: true, agent: agent.name, written: !flags["dry-run"], files: shown, events, gaps: agent.gaps });
    return EXIT.fine;
  }
  if (flags["dry-run"])
    showDrafts(
      changed.map(({ path, text }) => draft(path, text ?? "")),
      terminal,
    );
  else
    for (const { path, action } of shown)
      talk(`${action === "remove" ? "Removed" : "Wrote"} ${relative(host.cwd, path)}.`);
  if (changed.length === 0) talk(`${agent.title}: nothing to change`);
  if (flags.uninstall) return EXIT.fine;
  talk(`${agent.title} asks Harn on ${events.join(", ")}.`);
  const lack = await lackOf(flags, host);
  if (lack !== undefined) talk(`warning: ${lack}, and until then every call is blocked`);
  if (agent.name === "codex")
    talk("Its hooks are marked as trusted in your config.toml, because you installed them yourself.");
  for (const gap of agent.gaps) talk(`note: ${gap}`);
  talk(`Try it: harn doctor --agent ${agent.name}`);
  return EXIT.fine;
}

/** What both directions need to know: where, and what runs. */
async function optionsOf(
  flags: Pick<AgentFlags, "agent" | "user" | "command" | "manifest" | "uninstall">,
  host: Host,
): Promise<InstallOptions> {
  const level = flags.user ? "user" : "project";
  const found = flags.manifest === undefined ? await findManifest(host.cwd) : resolve(host.cwd, flags.manifest);
  const project = found === null ? host.cwd : dirname(found);
  // In every project it must be this policy, and not whichever is near.
  const names = flags.user || flags.manifest !== undefined;
  // Without one every call would be blocked.
  if (found === null && !flags.uninstall)
    throw usage(
      `there is no policy ${flags.user ? "to install for all projects" : "here or above"}`,
      "harn init writes one; or name it with --manifest FILE",
    );
  const manifest = names && found !== null ? ["--manifest", quote(found)] : [];
  return {
    level,
    project,
    home: host.env.HOME || homedir(),
    env: host.env,
    harn: flags.command ?? ownCommand(flags.agent, level, project),
    flags: manifest,
    wanted: flags.uninstall ? new Set() : await wantedEvents(host, found ?? undefined),
    read: flags.uninstall ? readText : readOriginal,
  };
}

/** The harn of the project where the agent says where that is, so that the settings can be shared; else this very one. */
function ownCommand(name: AgentName, level: "project" | "user", project: string): string {
  const { projectVariable } = agents[name];
  const local = join(project, "node_modules", ".bin", "harn");
  if (level === "project" && projectVariable !== undefined && existsSync(local)) {
    return `"\${${projectVariable}:-.}/node_modules/.bin/harn"`;
  }
  return `${quote(process.execPath)} ${quote(realpathSync(process.argv[1] ?? ""))}`;
}

/** What a person still has to do before the policy answers; undefined when it does. */
async function lackOf({ manifest }: Pick<AgentFlags, "manifest">, host: Host): Promise<string | undefined> {
  const found = await inspectPolicy(host, manifest);
  if (!found.ok) return "the policy does not load: harn validate says why";
  found.stack.close();
  return (await isTrusted(host, manifest))
    ? undefined
    : "nobody trusted this policy yet: look at it, then run harn trust";
}

/** The events the policy has hooks on. */
export async function wantedEvents(
  host: Pick<Host, "cwd" | "env">,
  manifest: string | undefined,
): Promise<Set<string>> {
  const found = await inspectPolicy(host, manifest);
  if (!found.ok) return new Set();
  found.stack.close();
  return new Set(found.stack.hooks.map(({ event }) => event));
}

function planned(plan: () => FileChange[]): FileChange[] {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof UnusableSettings)) throw error;
    throw unusable(messageOf(error));
  }
}

/** What a person wrote: without what Harn added, as long as that was all that was added. */
function readOriginal(path: string): string | null {
  const now = readText(path);
  const backup = readBackup(path);
  if (now === null || backup === null || digestOf(now) !== backup.after) return now;
  return backup.before === null ? null : Buffer.from(backup.before, "base64").toString("utf8");
}

/** What was there before Harn, when nobody has changed it since. */
interface Backup {
  readonly path: string;
  /** Base64 of the bytes; null when there was no file. */
  readonly before: string | null;
  /** The digest of what Harn wrote. */
  readonly after: string;
  /** The commands in it: whoever else wrote others, they are not run to see what they do. */
  readonly commands: readonly string[];
  /** Directories that were made for it, the innermost first. */
  readonly made: readonly string[];
}

/** Whether Harn itself wrote this command into this file, on this machine. */
export function isRemembered(path: string, command: string): boolean {
  return readBackup(path)?.commands.includes(command) === true;
}

function restored(changes: readonly FileChange[]): FileChange[] {
  return changes.map(({ path, text }) => {
    const isUntouched = digestOf(readText(path) ?? "") === readBackup(path)?.after;
    return { path, text: isUntouched ? readOriginal(path) : text };
  });
}

function takeOut({ path, text }: FileChange): void {
  const made = readBackup(path)?.made ?? [];
  if (text !== null) writeDrafts([draft(path, text)]);
  else {
    rmSync(path, { force: true });
    for (const directory of made) if (!removeEmpty(directory)) break;
  }
  rmSync(backupPath(path), { force: true });
}

function removeEmpty(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

/** The directories above a file that are not there yet, the innermost first. */
function missingAbove(path: string): string[] {
  const directory = dirname(path);
  return existsSync(directory) ? [] : [directory, ...missingAbove(directory)];
}

/** Writes a file, and what it takes to have it back as it was. */
function putIn(agent: Agent, { path, text }: FileChange): void {
  // Installed twice, it is still what was there before the first time that comes back.
  const original = readOriginal(path);
  const before = original === null ? null : Buffer.from(original).toString("base64");
  const commands = path.endsWith(".toml") ? [] : [...installedCommands(agent, path, text ?? "").values()].flat();
  const made = readBackup(path)?.made ?? missingAbove(path);
  const backup: Backup = { path, before, after: digestOf(text ?? ""), commands, made };
  writeFileSync(backupPath(path), JSON.stringify(backup), { mode: 0o600 });
  writeDrafts([draft(path, text ?? "")]);
}

/** The text of a file, whose bytes it gives back when it is written again. */
export function readText(path: string): string | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw unusable(`${path} is not UTF-8`);
  return text;
}

function unusable(why: string): CliError {
  const message = `the agent's settings cannot be changed: ${why}`;
  return new CliError("HARN_E_AGENT_SETTINGS", EXIT.data, message, "repair the file, then run this again");
}

function readBackup(path: string): Backup | null {
  const file = backupPath(path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Backup) : null;
}

function backupPath(path: string): string {
  const directory = ensurePrivateDirectory(join(ensurePrivateDirectory(stateDirectory()), "agents"));
  return join(directory, `${digestOf(path).slice(0, 32)}.json`);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
