import { isBuiltin } from "node:module";
import { parseAst } from "vitest/node";

/** What each part of the house may import of the others. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  starlark: [],
  secrets: [],
  shell: [],
  paths: ["shell"],
  plugins: ["core", "paths", "secrets", "shell"],
  manifest: ["core", "starlark"],
  agents: ["core"],
  tape: ["core", "secrets"],
  cli: ["core", "starlark", "manifest", "agents", "tape", "plugins"],
};

/** The parts that hold no clock, no randomness and no I/O. */
const PURE: readonly string[] = ["core", "starlark", "secrets", "shell"];

const AMBIENT: readonly string[] = [
  "Date",
  "performance",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "console",
  "crypto",
  "process",
  "fetch",
  "globalThis",
];

/** A source file by its path in the repository: `packages/core/src/plan.ts`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every way in which a source file leaves its place in the house, as a line for a person. */
export function findViolations({ path, text }: Source): string[] {
  const part = partOf(path);
  const allowed = ALLOWED[part];
  if (allowed === undefined) return [`${path}: "${part}" has no place in the house; add it to ALLOWED`];
  const { imports, globals } = readSource(text);
  const violations = imports.flatMap((specifier) => {
    const target = targetOf(specifier, path);
    if (target === "node") return PURE.includes(part) ? [`${path}: ${part} imports ${specifier}`] : [];
    if (target === null || allowed.includes(target)) return [];
    return [`${path}: ${part} -> ${target} (${specifier})`];
  });
  const holdsPorts = !PURE.includes(part) || path === "packages/core/src/ports.ts";
  return holdsPorts ? violations : [...violations, ...globals.map((name) => `${path}: ${part} touches ${name}`)];
}

/** `packages/core/...` is core; every plugin is one of the plugins. */
function partOf(path: string): string {
  const [folder = "", name = ""] = path.split("/");
  return folder === "plugins" ? "plugins" : name;
}

/** The part an import leads to, "node" for what comes with Node, null for the package itself and for npm. */
function targetOf(specifier: string, from: string): string | null {
  if (isBuiltin(specifier)) return "node";
  if (specifier.startsWith(".")) {
    const target = new URL(specifier, `file:///${from}`).pathname.slice(1);
    return homeOf(target) === homeOf(from) ? null : partOf(target);
  }
  const name = /^harn(\/|$)/.test(specifier) ? "cli" : /^@hooks\/([^/]+)/.exec(specifier)?.[1];
  if (name === undefined) return null;
  const home = `${Object.hasOwn(ALLOWED, name) ? "packages" : "plugins"}/${name}`;
  return home === homeOf(from) ? null : partOf(home);
}

function homeOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

type Node = { readonly type: string; readonly [key: string]: unknown };

/** The specifiers a source imports, and the ambient globals it names, outside of comments and strings. */
function readSource(text: string): { imports: string[]; globals: string[] } {
  const imports: string[] = [];
  const globals: string[] = [];

  function visit(value: unknown): void {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) visitNode(value);
  }

  function visitNode(node: Node): void {
    const source = node.source ?? (isRequire(node) ? (node.arguments as unknown[])[0] : undefined);
    if (isNode(source)) imports.push(String(source.value ?? "an import that is computed"));
    if (node.type === "Identifier" && AMBIENT.includes(String(node.name))) globals.push(String(node.name));
    if (isMathRandom(node)) globals.push("Math.random");
    for (const [key, child] of Object.entries(node)) if (!isOnlyAName(node, key)) visit(child);
  }

  visit(parseAst(text, { lang: "ts" }));
  return { imports, globals };
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function isNamed(value: unknown, name: string): boolean {
  return isNode(value) && (value.name === name || value.value === name);
}

function isRequire(node: Node): boolean {
  return node.type === "CallExpression" && isNamed(node.callee, "require");
}

function isMathRandom(node: Node): boolean {
  return node.type === "MemberExpression" && isNamed(node.object, "Math") && isNamed(node.property, "random");
}

/** `payload.process` and `{ process: 1 }` name a key, not what is in the air. */
function isOnlyAName(node: Node, key: string): boolean {
  if (node.computed === true) return false;
  if (node.type === "MemberExpression") return key === "property";
  return key === "key";
}
