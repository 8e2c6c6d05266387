import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findManifest, makeLock, type Problem } from "@hooks/manifest";
import { checkAgents } from "./agent-checks.js";
import { findPackageManager, packageHome, readDeclared } from "./package-manager.js";
import { inspectPolicy } from "./policy.js";
import { findTables } from "./table.js";
import type { Host } from "./terminal.js";
import { isTrusted } from "./trust.js";
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
    ...(await policy(host, named)),
    ...(manifest === null ? [] : [...schema(manifest), await tests(manifest)]),
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

/** Whether the policy loads and guards something, and may run. A policy can be files of hooks alone. */
async function policy(host: Host, named: string | undefined): Promise<Check[]> {
  const check = (state: Check["state"], fact: string, help?: string): Check => ({
    name: "policy",
    state,
    fact,
    ...(help === undefined ? {} : { help }),
  });
  const loaded = await inspectPolicy(host, named);
  if (!loaded.ok) {
    const [first, ...more] = loaded.problems.filter(({ severity }) => severity === "error");
    if (named === undefined && (await findManifest(host.cwd)) === null)
      return [check("problem", "there is no harn.toml here or above", "run harn init")];
    const others = more.length === 0 ? "" : `, and ${more.length} more`;
    return [check("problem", `it does not load: ${first?.message}${others}; every gate blocks`, "run harn validate")];
  }
  const { manifest, hooks, warnings, close } = loaded.stack;
  close();
  const from = manifest === null ? "files of hooks bring" : `${relative(host.cwd, manifest) || manifest} loads`;
  const fact = `${from} ${hooks.length} ${hooks.length === 1 ? "hook" : "hooks"}`;
  if (hooks.length === 0) return [check("warning", `${fact}: nothing is guarded`, "run harn add @hooks/command-guard")];
  const found =
    warnings.length > 0 ? check("warning", `${fact}, with warnings`, "run harn validate") : check("ok", fact);
  return [found, await trust(host, named)];
}

async function trust(host: Host, named: string | undefined): Promise<Check> {
  if (await isTrusted(host, named)) return { name: "trust", state: "ok", fact: "trusted as it is now" };
  const fact = "not trusted on this machine: nothing of it runs, and every gate blocks";
  return { name: "trust", state: "problem", fact, help: "look at it, then run harn trust" };
}

function schema(manifest: string): Check[] {
  const named = /^#:schema\s+(\S+)/m.exec(read(manifest))?.[1];
  if (named === undefined || /^https?:/.test(named)) return [];
  if (existsSync(resolve(dirname(manifest), named)))
    return [{ name: "schema", state: "ok", fact: "editors know its keys" }];
  const help = "install harn in this project, or correct the #:schema line";
  return [{ name: "schema", state: "warning", fact: `the #:schema file ${named} is not there`, help }];
}

async function tests(manifest: string): Promise<Check> {
  const { length } = await findTables(dirname(manifest));
  if (length > 0) return { name: "tests", state: "ok", fact: "there are table tests" };
  const help = "write policy.harn-test.toml; harn test --help shows what is in one";
  return { name: "tests", state: "warning", fact: "there is no *.harn-test.toml beside the policy", help };
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

/** The packages the policy uses, and whether they are what was locked. */
async function packages(manifest: string): Promise<Check[]> {
  const { path, packages: used, differences } = await makeLock({ cwd: dirname(manifest), manifest });
  const bound = used.filter(({ kind }) => kind !== "dependency");
  const versions = bound.map(
    ({ name, version }): Check => ({ name, state: "ok", fact: `${version || "no version"} is installed` }),
  );
  return bound.length === 0 ? [] : [...versions, lock(path, differences)];
}

function lock(path: string | null, [first, ...more]: readonly Problem[]): Check {
  if (path === null || !existsSync(path)) {
    const fact = "there is no harn.lock: packages run as they are installed, whatever is in them";
    return { name: "lock", state: "warning", fact, help: "run harn lock" };
  }
  if (first === undefined) return { name: "lock", state: "ok", fact: "what is installed is what harn.lock says" };
  const fact = `${first.message}${more.length === 0 ? "" : `, and ${more.length} more`}; every gate blocks`;
  return { name: "lock", state: "problem", fact, ...(first.help === undefined ? {} : { help: first.help }) };
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
