import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import {
  type Agent,
  agents,
  doubles,
  installedCommands,
  installedEvents,
  obstacles,
  settingsPath,
} from "@hooks/agents";
import { messageOf } from "@hooks/core";
import { isRemembered, readText, wantedEvents } from "./agent-init.js";
import type { Check } from "./checks.js";
import type { Host } from "./terminal.js";

/** Looks at every agent Harn is installed in: whether it is wired as it should be, and what it will not cover. */
export async function checkAgents(host: Host, manifest: string | null, only?: string): Promise<Check[]> {
  const place = {
    project: manifest === null ? host.cwd : dirname(manifest),
    home: host.env.HOME || homedir(),
    read: readText,
  };
  const wanted = manifest === null ? new Set<string>() : await wantedEvents(host, manifest);
  return Object.values(agents)
    .filter(({ name }) => only === undefined || only === name)
    .flatMap((agent) => {
      const found = (["project", "user"] as const).flatMap((level) => {
        const path = settingsPath(agent, level, place.project, place.home);
        const text = readText(path);
        return text === null ? [] : checkWiring(agent, path, text, wanted, host, place);
      });
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

type Place = Parameters<typeof obstacles>[3];

function checkWiring(
  agent: Agent,
  path: string,
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
  const again = `run harn init --agent ${agent.name}`;
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
    ...obstacles(agent, path, text, place).map((fact) => check("problem", fact, again)),
    ...(missing.length === 0 ? [] : [check("problem", `${path} does not ask on ${missing.join(", ")}`, again)]),
    ...(several.length === 0 ? [] : [check("problem", `${path} asks more than once on ${several.join(", ")}`, again)]),
    ...canary(agent, path, commands, host, place.project).map(([state, fact]) =>
      check(state, fact, state === "ok" ? undefined : again),
    ),
  ];
}

/**
 * Runs the very command that is in the settings, the way the agent would, with a call that nobody can read. A wiring
 * that works refuses it; one that does not lets it pass, or does not start.
 */
function canary(
  agent: Agent,
  path: string,
  commands: ReadonlyMap<string, readonly string[]>,
  host: Host,
  project: string,
): [Check["state"], string][] {
  const command = commands.get(agent.gate)?.[0];
  if (command === undefined) return [];
  // A repository may have brought it along, and nothing of a repository runs for being looked at.
  if (!isRemembered(path, command)) return [["warning", `${path} was written elsewhere, so no canary was sent`]];
  const { projectVariable, install } = agent;
  const env = { ...host.env, ...(projectVariable === undefined ? {} : { [projectVariable]: project }) };
  const started = performance.now();
  const timeout = (install.events[agent.gate]?.seconds ?? 30) * 1_000;
  const { status, stdout, error } = spawnSync("/bin/sh", ["-c", command], {
    cwd: project,
    env,
    input: "{ canary",
    encoding: "utf8",
    timeout,
  });
  const took = Math.round(performance.now() - started);
  if (error !== undefined) return [["problem", `a canary did not come back: ${messageOf(error)}`]];
  if (status !== 2) return [["problem", `a canary was let pass: exit code ${status}`]];
  if (!stdout.includes("Harn refuses"))
    return [
      ["problem", "a canary was refused by the shell: harn does not start, and nothing can be done with this agent"],
    ];
  return [["ok", `${agent.title} asks Harn on ${commands.size} events; a canary was refused in ${took} ms`]];
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
