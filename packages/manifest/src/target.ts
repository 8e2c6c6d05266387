import { isBuiltin } from "node:module";
import { basename, dirname, extname, isAbsolute, join, posix, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { messageOf, nearest } from "@hooks/core";
import { resolve as resolveModule } from "import-meta-resolve";
import { readdir, stat } from "./disk.js";
import type { Path } from "./document.js";
import { type InstalledPackage, isInside, type Packages, readOwnPackage } from "./packages.js";
import type { ProblemCode } from "./problem.js";
import type { Manifest } from "./schema.js";

/** What a handler stands for: a file, and the name of a function in it. */
export interface Target {
  readonly file: string;
  readonly exportName: string;
  /** The package it comes from; absent for modules of the project itself. */
  readonly package?: InstalledPackage;
}

/** Why a handler stands for nothing. */
export interface Unresolved {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly help?: string | undefined;
  /** The package that is not installed. */
  readonly missing?: string;
}

export const EXTENSIONS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];
export const PACKAGE = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(\/.+)?$/;
export const URL_LIKE = /^[a-z][a-z0-9+.-]+:/i;

/** Where a manifest resolves its handlers from. */
export interface Home {
  /** The directory of the manifest. */
  readonly root: string;
  readonly manifest: Manifest;
  readonly packages: Packages;
  /** Modules that were found already: many hooks name the same one. */
  readonly resolved: Map<string, Omit<Target, "exportName">>;
  /** Whether the value at a path had the wrong shape, and is reported and taken out already. */
  readonly isSpoilt: (path: Path) => boolean;
}

/** Splits `module::export` at the last `::`. */
export function splitHandler(handler: string): { module: string; exportName: string } | undefined {
  const at = handler.lastIndexOf("::");
  const module = handler.slice(0, Math.max(0, at)).trim();
  const exportName = handler.slice(at + 2).trim();
  return at === -1 || module === "" || exportName === "" ? undefined : { module, exportName };
}

/** Finds what a handler stands for: this package's own name, then an [exports] key, then an npm package. Runs nothing. */
export async function resolveTarget(handler: string, home: Home): Promise<Target | Unresolved> {
  const parts = splitHandler(handler);
  if (parts === undefined) {
    return {
      code: "HARN_E_HANDLER_SYNTAX",
      message: `handler "${handler}" is not written as module::export`,
      help: 'write handler = "policy::reject_secrets" or "@hooks/command-guard::guard"',
    };
  }
  const { module, exportName } = parts;
  const known = home.resolved.get(module);
  if (known !== undefined) return { ...known, exportName };
  const file = await resolveOwn(module, home);
  const target =
    typeof file === "string" ? { file, exportName } : (file ?? (await resolvePackage(module, exportName, home)));
  if (!("code" in target)) home.resolved.set(module, target);
  return target;
}

async function resolveOwn(module: string, home: Home): Promise<string | Unresolved | undefined> {
  const { package: own, exports = {} } = home.manifest;
  if (own?.name !== undefined && (module === own.name || module.startsWith(`${own.name}/`))) {
    const key = module === own.name ? "." : module.slice(own.name.length + 1);
    if (Object.hasOwn(exports, key)) return checkExport(key, exports[key] ?? "", home);
    const self = await readOwnPackage(home.root);
    if (self?.name === own.name) return undefined;
    const near = nearest(key, Object.keys(exports));
    return {
      code: "HARN_E_MODULE_NOT_FOUND",
      message: `this package exports no "${key}"`,
      hint: near === undefined ? undefined : `did you mean "${near}"?`,
      help: `add "${key}" = "hooks/policy.ts" under [exports]`,
    };
  }
  return Object.hasOwn(exports, module) ? checkExport(module, exports[module] ?? "", home) : undefined;
}

/** The file of an [exports] entry, or why it cannot be used. */
export async function checkExport(
  key: string,
  path: string,
  { root }: Pick<Home, "root">,
): Promise<string | Unresolved> {
  const file = resolve(root, path);
  const outside: Unresolved = {
    code: "HARN_E_MODULE_OUTSIDE",
    message: `export "${key}" leads to ${path}, outside of the project`,
    help: "name a file below the directory of harn.toml",
  };
  if (isAbsolute(path) || URL_LIKE.test(path) || !file.startsWith(root + sep)) return outside;
  const isModule = EXTENSIONS.includes(extname(file));
  if (isModule && (await isSomethingElse(file))) {
    return {
      code: "HARN_E_MODULE_NOT_FOUND",
      message: `export "${key}" leads to ${path}, which is no regular file`,
      help: `name a ${EXTENSIONS.join(", ")} file`,
    };
  }
  if (!isModule || !(await isFile(file))) {
    const near = isModule ? nearest(basename(file), await readBeside(file)) : await moduleBeside(file);
    const meant = near === undefined ? undefined : posix.join(posix.dirname(path), near);
    return {
      code: "HARN_E_MODULE_NOT_FOUND",
      message: `export "${key}" leads to ${path}, ${isModule ? "but there is no such file" : "which is no module"}`,
      hint: meant === undefined ? undefined : `did you mean "${meant}"?`,
      help: isModule ? "correct the path, which is relative to harn.toml" : `name a ${EXTENSIONS.join(", ")} file`,
    };
  }
  return (await isInside(file, root)) ? file : outside;
}

/** Whether there is a directory, a pipe or a device in the place of a file. */
async function isSomethingElse(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => !stats.isFile(),
    () => false,
  );
}

async function readBeside(file: string): Promise<string[]> {
  return readdir(dirname(file)).catch(() => []);
}

/** The module whose name lacks only its extension. */
async function moduleBeside(file: string): Promise<string | undefined> {
  const beside = await readBeside(file);
  return EXTENSIONS.map((extension) => basename(file) + extension).find((name) => beside.includes(name));
}

async function resolvePackage(module: string, exportName: string, home: Home): Promise<Target | Unresolved> {
  const name = packageNameOf(module, exportName);
  if (typeof name !== "string") return name;
  const found = await home.packages.find(name);
  if (found === undefined) return notFound(module, exportName, name, home.manifest);
  if ("broken" in found) {
    return {
      code: "HARN_E_PACKAGE_INVALID",
      message: `package ${name}: ${found.broken}`,
      help: `ask its authors, or reinstall ${name}`,
    };
  }
  let file: string;
  try {
    file = fileURLToPath(resolveModule(module, pathToFileURL(join(home.root, "harn.toml")).href));
  } catch (error) {
    return {
      code: "HARN_E_MODULE_NOT_FOUND",
      message: `package ${name} ${found.version ?? ""} ${entryMistake(module, name, error)}`,
      help: `look at "exports" and "main" in the package.json of ${name}`,
    };
  }
  if (!(await isFile(file))) {
    return {
      code: "HARN_E_MODULE_NOT_FOUND",
      message: `package ${name} points "${module}" at a file it does not have`,
      help: `reinstall ${name}`,
    };
  }
  if (!(await isInside(file, found.root))) {
    return {
      code: "HARN_E_MODULE_OUTSIDE",
      message: `package ${name} points "${module}" outside of itself`,
      help: `do not use ${name}`,
    };
  }
  return { file, exportName, package: found };
}

/** Why Node finds nothing in a package that is there. */
function entryMistake(module: string, name: string, error: unknown): string {
  const [what] = messageOf(error).split(" imported from ");
  const { code } = error as NodeJS.ErrnoException;
  // Node says of a package without an entry that there is no package.
  if (code === "ERR_MODULE_NOT_FOUND" && module === name) return "has no module to load";
  return `has no entry for "${module}": ${what}`;
}

function packageNameOf(module: string, exportName: string): string | Unresolved {
  const reason = refusal(module);
  if (reason !== undefined) {
    return {
      code: "HARN_E_MODULE_OUTSIDE",
      message: `"${module}" is ${reason}, and a handler names an [exports] key or a package`,
      help: insteadOf(module, exportName),
    };
  }
  const [, name] = PACKAGE.exec(module) ?? [];
  if (name !== undefined) return name;
  return {
    code: "HARN_E_MODULE_NOT_FOUND",
    message: `"${module}" is neither an [exports] key nor a package's name`,
    help: 'name a file of this project under [exports], as in policy = "hooks/policy.ts", or install a package',
  };
}

/** What to write for a path. */
function insteadOf(module: string, exportName: string): string {
  const [, installed] = /^node_modules\/(.+)$/.exec(module) ?? [];
  if (installed !== undefined) return `write handler = "${installed}::${exportName}"`;
  const [, file = "", key] = /^\.\/((?:[^/]+\/)*([\w-]+)\.[cm]?[jt]s)$/.exec(module) ?? [];
  if (key !== undefined && !file.split("/").includes("..")) {
    return `add ${key} = "${file}" under [exports], and write handler = "${key}::${exportName}"`;
  }
  return 'name a file of this project under [exports], as in policy = "hooks/policy.ts", and use that name';
}

function refusal(module: string): string | undefined {
  // There are packages of the same names, and whoever means Node must not be told to install one.
  if (isBuiltin(module)) return "a module of Node itself";
  if (URL_LIKE.test(module)) return "a URL";
  if (isAbsolute(module) || /^[\\/]/.test(module)) return "an absolute path";
  if (module.startsWith(".")) return "a relative path";
  if (module.split(/[\\/]/).includes("..")) return "a path that climbs out of its package";
  if (module.startsWith("node_modules/")) return "a path into node_modules";
  return undefined;
}

function notFound(module: string, exportName: string, name: string, manifest: Manifest): Unresolved {
  const { exports = {}, dependencies = {}, package: own } = manifest;
  const near = nearest(module, [
    ...Object.keys(exports),
    ...Object.keys(dependencies),
    ...(own?.name === undefined ? [] : [own.name]),
  ]);
  const range = Object.hasOwn(dependencies, name) ? `@${dependencies[name]}` : "";
  const isTypo = near !== undefined && near !== module;
  return {
    code: "HARN_E_MODULE_NOT_FOUND",
    message: `"${module}" is not an [exports] key, and no package ${name} is installed here`,
    hint: isTypo ? `did you mean "${near}"?` : undefined,
    missing: name,
    // Whoever mistyped a name must not be told to install whatever goes by the mistake.
    help: isTypo ? `write handler = "${near}::${exportName}"` : `npm install ${name}${range}`,
  };
}

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
