import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import {
  type Agent,
  agents,
  doubles,
  installedCommands,
  installedEvents,
  type Level,
  obstacles,
  type Place,
  settingsPath,
} from "@hooks/agents";
import { messageOf } from "@hooks/core";
import { isRemembered, readText, wantedEvents } from "./agent-init.js";
import type { Check } from "./checks.js";
import { now } from "./clock.js";
import type { Host } from "./terminal.js";

/** Looks at every agent Harn is installed in: whether it is wired as it should be, and what it will not cover. */
export async function checkAgents(host: Host, manifest: string | null, only?: string): Promise<Check[]> {
  const place: Place = {
    project: manifest === null ? host.cwd : dirname(manifest),
    home: host.env.HOME || homedir(),
    env: host.env,
    read: readText,
  };
  const wanted = manifest === null ? new Set<string>() : await wantedEvents(host, manifest);
  return Object.values(agents)
    .filter(({ name }) => only === undefined || only === name)
    .flatMap((agent) => {
      const levels = (["project", "user"] as const).map((level) => {
        const text = readText(settingsPath(agent, level, place));
        return text === null ? [] : checkWiring(agent, level, text, wanted, host, place);
      });
      const found = levels.flat();
      if (levels.every((checks) => checks.length > 0)) found.push(atBothLevels(agent));
      if (found.length > 0) return [...found, ...twice(agent, place), ...(only === undefined ? [] : gapsOf(agent))];
      if (only === undefined) return [];
      return [
        {
          name: agent.name,
          state: "problem",
          fact: `${agent.title} does not ask Harn`,
          help: `run harn init --agent ${agent.name}`,
        } as const,
      ];
    });
}

function checkWiring(
  agent: Agent,
  level: Level,
  text: string,
  wanted: ReadonlySet<string>,
  host: Host,
  place: Place,
): Check[] {
  const check = (state: Check["state"], fact: string, help?: string): Check => ({
    name: agent.name,
    state,
    fact,
    ...(help === undefined ? {} : { help }),
  });
  const again = `run harn init --agent ${agent.name}${level === "user" ? " --user" : ""}`;
  const path = settingsPath(agent, level, place);
  let commands: ReadonlyMap<string, readonly string[]>;
  try {
    commands = installedCommands(agent, path, text);
  } catch (error) {
    return [
      check("problem", `${path} cannot be read, so none of its hooks runs: ${messageOf(error)}`, "repair the file"),
    ];
  }
  if (commands.size === 0) return [];
  const missing = installedEvents(agent, wanted).filter((event) => !commands.has(event));
  const several = [...commands].filter(([, list]) => list.length > 1).map(([event]) => event);
  return [
    ...obstacles(agent, level, text, place).map(({ fact, isCertain }) =>
      check(isCertain ? "problem" : "warning", fact),
    ),
    ...(missing.length === 0 ? [] : [check("problem", `${path} does not ask on ${missing.join(", ")}`, again)]),
    ...(several.length === 0 ? [] : [check("problem", `${path} asks more than once on ${several.join(", ")}`, again)]),
    ...canaries(agent, path, commands, host, place.project).map(([state, fact]) =>
      check(state, fact, state === "ok" ? undefined : again),
    ),
  ];
}

/**
 * Runs the very commands that are in the settings, the way the agent would, each with a call that nobody can read. A
 * wiring that works refuses it where there is something to refuse, and says so elsewhere.
 */
function canaries(
  agent: Agent,
  path: string,
  commands: ReadonlyMap<string, readonly string[]>,
  host: Host,
  project: string,
): [Check["state"], string][] {
  // A repository may have brought them along, and nothing of a repository runs for being looked at.
  const isForeign = [...commands.values()].flat().some((command) => !isRemembered(path, command));
  if (isForeign) return [["warning", `${path} was written elsewhere, so no canary was sent`]];
  const started = now();
  const wrong = [...commands].flatMap(([event, list]) => {
    const mistake = list.map((command) => sendCanary(agent, event, command, host, project)).find(Boolean);
    return mistake === undefined ? [] : [{ event, mistake }];
  });
  const took = Math.round((now() - started) / Math.max(1, commands.size));
  const [first] = wrong;
  if (first === undefined)
    return [["ok", `${agent.title} asks Harn on ${commands.size} events; a canary was refused on each, in ${took} ms`]];
  const events = wrong.filter(({ mistake }) => mistake === first.mistake).map(({ event }) => event);
  return [["problem", `${events.join(", ")}: ${first.mistake}`]];
}

/** What was wrong with the answer to a canary; undefined: nothing. */
function sendCanary(agent: Agent, event: string, command: string, host: Host, project: string): string | undefined {
  const { projectVariable, install, events } = agent;
  const { status, stderr, error } = spawnSync("/bin/sh", ["-c", command], {
    cwd: project,
    env: { ...host.env, ...(projectVariable === undefined ? {} : { [projectVariable]: project }) },
    input: "{ canary",
    encoding: "utf8",
    timeout: (install.events[event]?.seconds ?? 30) * 1_000,
  });
  // What does not start does not read either.
  if (error !== undefined && (error as NodeJS.ErrnoException).code !== "EPIPE")
    return `a canary did not come back: ${messageOf(error)}`;
  const { can = [], veto = 2 } = events[event] ?? {};
  const isRefusedBy = (code: number | null) => code === (can.includes("block") ? veto : 0);
  if (!stderr.includes("Harn refuses: the payload"))
    return "a canary was refused by the shell: harn does not start, and nothing can be done with this agent";
  return isRefusedBy(status) ? undefined : `a canary was let pass: exit code ${status}`;
}

/** Two entries for one event: agents run them at once, and take the rewrite of the one that ends last. */
function atBothLevels({ name, title }: Agent): Check {
  return {
    name,
    state: "warning",
    fact: `${title} asks Harn twice, for this project and for you: of two rewrites of one call one is lost`,
    help: `harn init --agent ${name} --uninstall, here or with --user, unless the two policies differ and rewrite nothing`,
  };
}

function twice(agent: Agent, place: Place): Check[] {
  return doubles(agent, place).map((other) => ({
    name: agent.name,
    state: "warning",
    fact: `${other} runs these hooks too, beside its own: it asks twice`,
    help: "harmless, but slow: install Harn for one of the two",
  }));
}

function gapsOf(agent: Agent): Check[] {
  return agent.gaps.map((fact) => ({ name: agent.name, state: "warning", fact: `not covered: ${fact}` }));
}
