import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { loadStack, type Problem, parseToml } from "@hooks/manifest";
import { readPackage } from "./package-manager.js";
import type { Terminal } from "./terminal.js";
import { verb as testVerb } from "./verbs/test.js";

/** What one look at a pack found. */
export interface PackCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly fact: string;
}

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare", "prepublish"];

/** Everything that must be right before a pack is published. */
export async function checkPack(root: string, terminal: Terminal): Promise<PackCheck[]> {
  const manifest = join(root, "harn.toml");
  const description = readPackage(root);
  const loaded = await loadStack({ cwd: root, manifest, inspect: true, managed: [] });
  const errors = loaded.ok ? [] : loaded.problems.filter(({ severity }) => severity === "error");
  return [
    ...metadata(description ?? {}),
    loads(errors),
    await runtimeRange(manifest),
    ...published(
      description ?? {},
      root,
      loaded.ok ? loaded.stack.hooks.flatMap(({ source }) => source?.file ?? []) : [],
    ),
    ...(await tests(root, manifest, terminal)),
    readme(root, loaded.ok ? loaded.stack.hooks.map(({ id, handlerName }) => id ?? handlerName) : []),
  ];
}

function metadata({ name, version, keywords, license, scripts }: Record<string, unknown>): PackCheck[] {
  const words = Array.isArray(keywords) ? keywords : [];
  const found = INSTALL_SCRIPTS.filter((script) => Object.hasOwn((scripts as object) ?? {}, script));
  const check = (what: string, ok: boolean, fact: string): PackCheck => ({ name: what, ok, fact });
  return [
    check("name", typeof name === "string" && name !== "", `package.json calls it ${String(name)}`),
    check("version", /^\d+\.\d+\.\d+/.test(String(version)), `its version is ${String(version)}`),
    check(
      "keyword",
      words.includes("harn-pack"),
      `its keywords: ${words.join(", ") || "none"}; "harn-pack" is how packs are found`,
    ),
    check("license", typeof license === "string", `its license is ${String(license)}`),
    check(
      "scripts",
      found.length === 0,
      found.length === 0 ? "no install scripts" : `install scripts: ${found.join(", ")}`,
    ),
  ];
}

function loads(errors: readonly Problem[]): PackCheck {
  const [first] = errors;
  const fact =
    first === undefined ? "harn.toml is whole" : `${first.message} (${first.place.file}:${first.place.line})`;
  return { name: "policy", ok: first === undefined, fact };
}

async function runtimeRange(manifest: string): Promise<PackCheck> {
  const value = existsSync(manifest) ? await parseToml(readFileSync(manifest, "utf8")).catch(() => ({})) : {};
  const { harn } = ((value as { package?: unknown }).package ?? {}) as { harn?: string };
  const fact = harn === undefined ? "[package] harn must say which versions of Harn it is for" : `for Harn ${harn}`;
  return { name: "runtime", ok: harn !== undefined, fact };
}

/** Whether what the policy needs is among what would be published. */
function published({ files }: Record<string, unknown>, root: string, sources: readonly string[]): PackCheck[] {
  if (!Array.isArray(files)) return [{ name: "files", ok: false, fact: "package.json must list its files" }];
  const listed = files.map((file) =>
    String(file)
      .replace(/^\.\//, "")
      .replace(/\/\*{0,2}$/, ""),
  );
  const isListed = (path: string) => listed.some((entry) => path === entry || path.startsWith(`${entry}/`));
  const needed = new Set([
    "harn.toml",
    ...sources.map((file) => relative(root, join(root, file)).split(sep).join("/")),
  ]);
  const missing = [...needed].filter((path) => !isListed(path));
  const fact = missing.length === 0 ? "everything it needs is published" : `not published: ${missing.join(", ")}`;
  return [{ name: "files", ok: missing.length === 0, fact }];
}

/** Runs the table tests, and wants each gate seen blocking. */
async function tests(root: string, manifest: string, terminal: Terminal): Promise<PackCheck[]> {
  const answers: { ok?: boolean; cases?: unknown[]; never_blocked?: string[]; problems?: Problem[] }[] = [];
  const silent = { ...terminal, host: { ...terminal.host, cwd: root }, print() {}, talk() {} };
  const flags = { manifest, json: true, watch: false };
  try {
    await testVerb.run({ flags, words: [] } as never, {
      ...silent,
      json: (value) => void answers.push(value as object),
    });
  } catch (error) {
    return [{ name: "tests", ok: false, fact: (error as Error).message }];
  }
  const [answer = {}] = answers;
  if (answer.problems !== undefined)
    return [{ name: "tests", ok: false, fact: answer.problems[0]?.message ?? "they did not run" }];
  const idle = answer.never_blocked ?? [];
  return [
    {
      name: "tests",
      ok: answer.ok === true,
      fact: `${answer.cases?.length ?? 0} cases${answer.ok === true ? "" : ", and some fail"}`,
    },
    {
      name: "gates",
      ok: idle.length === 0,
      fact: idle.length === 0 ? "every gate is seen blocking" : `never seen blocking: ${idle.join(", ")}`,
    },
  ];
}

function readme(root: string, hooks: readonly string[]): PackCheck {
  const path = join(dirname(join(root, "x")), "README.md");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const missing = hooks.filter((id) => !text.includes(id));
  const ok = text !== "" && missing.length === 0;
  return {
    name: "readme",
    ok,
    fact: ok ? "README.md names every hook" : `README.md says nothing of ${missing.join(", ") || "the pack"}`,
  };
}
