import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readSupplyRules } from "@hooks/manifest";
import { CliError, EXIT } from "./exit.js";
import { capture } from "./published.js";
import type { Host } from "./terminal.js";

/** The registry a package is published to or installed from here, as npm's settings have it. */
export async function registryFor(
  name: string,
  directory: string,
  env: Host["env"],
  publishConfig: object = {},
): Promise<string> {
  const scope = scopeOf(name);
  const keys = [...(scope === undefined ? [] : [`${scope}:registry`]), "registry"];
  const said = publishConfig as Readonly<Record<string, unknown>>;
  for (const key of keys) if (typeof said[key] === "string") return withSlash(said[key]);
  for (const key of keys) {
    const { status, out } = await capture(["npm", "config", "get", key], directory, env);
    const value = out.trim();
    if (status === 0 && /^https?:/.test(value)) return withSlash(value);
  }
  const fact = `npm does not say where ${name} would go to, or come from`;
  throw new CliError("HARN_E_INSTALL", EXIT.data, fact, "npm config get registry shows what is wrong");
}

/** `@acme` of `@acme/policy-pack`. */
export function scopeOf(name: string): string | undefined {
  return /^(@[^/]+)\//.exec(name)?.[1];
}

export function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

type Asked = Pick<Host, "cwd" | "env">;

/** Refuses a package that would go to, or come from, another registry than the one its scope belongs to. */
export async function refuseOtherRegistry({ cwd, env }: Asked, name: string, given?: string): Promise<void> {
  const { registries } = await readSupplyRules({ cwd }, readScopeMap(cwd, env));
  const wanted = registries.get(scopeOf(name) ?? "");
  if (wanted === undefined) return;
  const registry = given ?? (await registryFor(name, cwd, env));
  if (registry === wanted) return;
  throw new CliError(
    "HARN_E_SCOPE",
    EXIT.untrusted,
    `${name} belongs to ${wanted}, and ${registry} is set up for it`,
    `write ${scopeOf(name)}:registry=${wanted} into .npmrc`,
  );
}

const MAPPED = /^\s*(@[^\s:=]+):registry\s*=\s*["']?([^\s"']+)/gm;

/** The registries .npmrc names for scopes, of this project or above it and of this person; the nearest counts. */
export function readScopeMap(directory: string, env: Host["env"]): Record<string, string> {
  const files: string[] = [env.npm_config_userconfig ?? join(env.HOME ?? homedir(), ".npmrc")];
  for (let here = directory; ; here = dirname(here)) {
    files.splice(1, 0, join(here, ".npmrc"));
    if (here === dirname(here)) break;
  }
  const map: Record<string, string> = {};
  for (const file of files) {
    for (const [, scope = "", url = ""] of readText(file).matchAll(MAPPED)) map[scope] = withSlash(expanded(url, env));
  }
  for (const [key, url = ""] of Object.entries(env)) {
    const scope = /^npm_config_(@[^:]+):registry$/i.exec(key)?.[1];
    if (scope !== undefined && url !== "") map[scope] = withSlash(url);
  }
  return map;
}

/** `${NAME}` stands for a variable of the environment. */
function expanded(text: string, env: Host["env"]): string {
  return text.replace(/\$\{(\w+)\??\}/g, (whole, name: string) => env[name] ?? whole);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
