import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError, EXIT } from "./exit.js";
import type { Terminal } from "./terminal.js";

export type ManagerName = "npm" | "pnpm" | "yarn" | "bun";

/** The package manager of a project, and where it keeps its lockfile. */
export interface PackageManager {
  readonly name: ManagerName;
  /** Why it is this one. */
  readonly because: string;
}

const LOCKFILES: readonly (readonly [file: string, name: ManagerName])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** The package manager a project uses: what package.json says, then the nearest lockfile upwards, then npm. */
export function findPackageManager(directory: string): PackageManager {
  for (let here = directory; ; here = dirname(here)) {
    const said = /^(npm|pnpm|yarn|bun)@/.exec(String(readPackage(here)?.packageManager ?? ""))?.[1];
    if (said !== undefined) return { name: said as ManagerName, because: "package.json says so" };
    const lock = LOCKFILES.find(([file]) => existsSync(join(here, file)));
    if (lock !== undefined) return { name: lock[1], because: `${lock[0]} is there` };
    if (here === dirname(here)) return { name: "npm", because: "nothing says otherwise" };
  }
}

/** The package.json of a directory; undefined where there is none that can be read. */
export function readPackage(directory: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Where packages of a directory are declared: its nearest package.json upwards, or the directory itself. */
export function packageHome(directory: string): string {
  for (let here = directory; ; here = dirname(here)) {
    if (existsSync(join(here, "package.json"))) return here;
    if (here === dirname(here) || existsSync(join(here, ".git"))) return directory;
  }
}

/** What the package.json of a directory asks for, with the range of each. */
export function readDeclared(directory: string): Readonly<Record<string, string>> {
  const { dependencies = {}, devDependencies = {} } = readPackage(directory) ?? {};
  return { ...(dependencies as Record<string, string>), ...(devDependencies as Record<string, string>) };
}

// Install scripts are code of strangers that would run before anybody has looked at it.
const ADD: Readonly<Record<ManagerName, readonly string[]>> = {
  npm: ["install", "--save-dev", "--ignore-scripts", "--no-audit", "--no-fund"],
  pnpm: ["add", "--save-dev", "--ignore-scripts"],
  yarn: ["add", "--dev"],
  bun: ["add", "--dev", "--ignore-scripts"],
};
const REMOVE: Readonly<Record<ManagerName, readonly string[]>> = {
  npm: ["uninstall", "--ignore-scripts", "--no-audit", "--no-fund"],
  // It has no such flag; what is taken out has no script to run.
  pnpm: ["remove"],
  yarn: ["remove"],
  bun: ["remove"],
};

/** How each of them runs the command of an installed package. */
export const RUNNERS: Readonly<Record<ManagerName, string>> = {
  npm: "npx harn",
  pnpm: "pnpm harn",
  yarn: "yarn harn",
  bun: "bunx harn",
};

/** The command that adds packages to a project, or takes them out. */
export function commandOf(action: "add" | "remove", { name }: PackageManager, packages: readonly string[]): string[] {
  return [name, ...(action === "add" ? ADD : REMOVE)[name], ...packages];
}

const UPDATE: Readonly<Record<ManagerName, readonly string[]>> = {
  npm: ["install", "--ignore-scripts", "--no-audit", "--no-fund"],
  pnpm: ["add", "--ignore-scripts"],
  yarn: ["upgrade"],
  bun: ["add", "--ignore-scripts"],
};

/** The command that brings packages a project has already to other versions; each stays where package.json has it. */
export function updateCommand(
  { name: manager }: PackageManager,
  directory: string,
  packages: readonly { readonly name: string; readonly to: string }[],
): string[] {
  const isNewYarn = manager === "yarn" && existsSync(join(directory, ".yarnrc.yml"));
  const command = isNewYarn ? ["up"] : UPDATE[manager];
  return [manager, ...command, ...packages.map(({ name, to }) => `${name}@${to}`)];
}

/** How a package is published. */
export interface Publishing {
  readonly name: string;
  readonly registry: string;
  readonly isDryRun: boolean;
  readonly tag: string | undefined;
  readonly access: string | undefined;
  readonly otp: string | undefined;
  readonly isAttested: boolean;
}

/** The command that publishes the package of a directory. Scripts are off: what was checked is what is published. */
export function publishCommand({ name: manager }: PackageManager, directory: string, how: Publishing): string[] {
  const { name, registry, isDryRun, tag, access, otp, isAttested } = how;
  const flags = [
    ...(tag === undefined ? [] : ["--tag", tag]),
    ...(access === undefined ? [] : ["--access", access]),
    ...(otp === undefined ? [] : ["--otp", otp]),
    ...(isAttested ? ["--provenance"] : []),
  ];
  // A registry that .npmrc names for the scope goes before the one of the flag.
  const [scope] = /^@[^/]+(?=\/)/.exec(name) ?? [];
  const target = [`--registry=${registry}`, ...(scope === undefined ? [] : [`--${scope}:registry=${registry}`])];
  if (manager !== "yarn") {
    const safe = manager === "bun" ? [] : ["--ignore-scripts"];
    return [manager, "publish", ...safe, ...target, ...flags, ...(isDryRun ? ["--dry-run"] : [])];
  }
  // Only the newer generation has npm commands, and neither can go through the motions of publishing.
  const isNew = existsSync(join(directory, ".yarnrc.yml"));
  if (isDryRun) return ["yarn", "pack", ...(isNew ? ["--dry-run"] : ["--filename", "/dev/null"])];
  return isNew
    ? ["yarn", "npm", "publish", ...flags]
    : ["yarn", "publish", "--non-interactive", `--registry=${registry}`, ...flags];
}

/** Runs a package manager where the project is. What it says goes to standard error. */
export async function runManager(command: readonly string[], cwd: string, { talk, host }: Terminal): Promise<void> {
  const [program = "", ...args] = command;
  talk(`$ ${command.join(" ")}`);
  // Both generations of yarn run scripts unless told otherwise here.
  const env = { ...host.env, YARN_ENABLE_SCRIPTS: "false", npm_config_ignore_scripts: "true" };
  const status = await new Promise<number | string>((resolve) => {
    // On Windows these are batch files, which only a shell can start.
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code ?? `ended by ${signal}`));
  });
  if (status === 0) return;
  const why = typeof status === "number" ? `exit code ${status}` : status;
  throw new CliError(
    "HARN_E_INSTALL",
    EXIT.data,
    `${program} failed (${why}); nothing else was changed`,
    `what it said is above; once that is put right, run the same command again`,
  );
}
