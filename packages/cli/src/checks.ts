import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findManifest, Packages } from "@hooks/manifest";
import { checkAgents } from "./agent-checks.js";
import { findPackageManager, packageHome, readDeclared } from "./package-manager.js";
import { inspectPolicy } from "./policy.js";
import type { Host } from "./terminal.js";
import { VERSION } from "./version.js";

/** What one look at a machine or a project found. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "problem";
  readonly fact: string;
  /** What to do about it. */
  readonly help?: string;
}

/** Looks at everything a policy needs to work. */
export async function runChecks(host: Host, named: string | undefined, agent?: string): Promise<Check[]> {
  const manifest = named === undefined ? await findManifest(host.cwd) : resolve(host.cwd, named);
  return [
    node(),
    ...(manifest === null ? [noManifest()] : [await policy(manifest, host), ...schema(manifest), tests(manifest)]),
    harn(manifest === null ? host.cwd : dirname(manifest)),
    ...(manifest === null ? [] : await packages(manifest)),
    codeCache(host),
    ...(await checkAgents(host, manifest, agent)),
  ];
}

const OLDEST_NODE = 20;

function node(): Check {
  const major = Number.parseInt(process.versions.node, 10);
  if (major >= OLDEST_NODE) return { name: "node", state: "ok", fact: `Node ${process.versions.node}` };
  return {
    name: "node",
    state: "problem",
    fact: `Node ${process.versions.node} is too old`,
    help: `install Node ${OLDEST_NODE} or newer`,
  };
}

function noManifest(): Check {
  return { name: "policy", state: "problem", fact: "there is no harn.toml here or above", help: "run harn init" };
}

async function policy(manifest: string, host: Host): Promise<Check> {
  const { cwd } = host;
  const name = relative(cwd, manifest) || manifest;
  const loaded = await inspectPolicy(host, manifest);
  if (!loaded.ok) {
    const errors = loaded.problems.filter(({ severity }) => severity === "error").length;
    const fact = `${name} does not load: ${errors} ${errors === 1 ? "problem" : "problems"}; every gate blocks`;
    return { name: "policy", state: "problem", fact, help: "run harn validate" };
  }
  const { hooks, warnings, close } = loaded.stack;
  close();
  const fact = `${name} loads ${hooks.length} ${hooks.length === 1 ? "hook" : "hooks"}`;
  if (hooks.length === 0)
    return {
      name: "policy",
      state: "warning",
      fact: `${fact}: nothing is guarded`,
      help: "run harn add @hooks/command-guard",
    };
  if (warnings.length > 0)
    return { name: "policy", state: "warning", fact: `${fact}, with warnings`, help: "run harn validate" };
  return { name: "policy", state: "ok", fact };
}

function schema(manifest: string): Check[] {
  const named = /^#:schema\s+(\S+)/m.exec(read(manifest))?.[1];
  if (named === undefined || /^https?:/.test(named)) return [];
  if (existsSync(resolve(dirname(manifest), named)))
    return [{ name: "schema", state: "ok", fact: "editors know its keys" }];
  const help = "install harn in this project, or correct the #:schema line";
  return [{ name: "schema", state: "warning", fact: `the #:schema file ${named} is not there`, help }];
}

function tests(manifest: string): Check {
  const home = dirname(manifest);
  const found = ["policy.harn-test.toml", "harn.harn-test.toml"].some((file) => existsSync(join(home, file)));
  if (found) return { name: "tests", state: "ok", fact: "there are table tests" };
  const help = "write policy.harn-test.toml; harn test --help shows what is in one";
  return { name: "tests", state: "warning", fact: "there is no policy.harn-test.toml beside the policy", help };
}

function harn(directory: string): Check {
  const home = packageHome(directory);
  const { name, because } = findPackageManager(home);
  const declared = readDeclared(home).harn;
  if (declared !== undefined)
    return {
      name: "harn",
      state: "ok",
      fact: `harn ${VERSION}; package.json asks for ${declared}; ${name}, because ${because}`,
    };
  const fact = `harn ${VERSION}, which no package.json asks for: others may get another version, or none`;
  return { name: "harn", state: "warning", fact, help: "run harn init" };
}

async function packages(manifest: string): Promise<Check[]> {
  const installed = new Packages(dirname(manifest));
  const named = [...read(manifest).matchAll(/^\s*handler\s*=\s*["']((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/[^:]*)?::/gm)];
  const names = [...new Set(named.map(([, name = ""]) => name))].filter((name) => name.startsWith("@"));
  return Promise.all(
    names.map(async (name): Promise<Check> => {
      const found = await installed.find(name);
      if (found === undefined)
        return { name, state: "problem", fact: "is not installed", help: "install what package.json asks for" };
      if ("broken" in found) return { name, state: "problem", fact: found.broken, help: `reinstall ${name}` };
      return { name, state: "ok", fact: `${found.version ?? "no version"} is installed` };
    }),
  );
}

function codeCache({ env }: Host): Check {
  const directory = join(env.XDG_CACHE_HOME ?? join(env.HOME ?? "", ".cache"), "harn", "code");
  const found = statSync(directory, { throwIfNoEntry: false });
  const isOpen = process.platform !== "win32" && found !== undefined && (found.mode & 0o077) !== 0;
  if (!isOpen) return { name: "start", state: "ok", fact: "what is kept between starts is yours alone" };
  return { name: "start", state: "warning", fact: `${directory} is open to others`, help: `chmod 700 ${directory}` };
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
