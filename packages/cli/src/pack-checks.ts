import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, printable } from "@hooks/core";
import { type PackContents, type Problem, readPack } from "@hooks/manifest";
import { readPackage } from "./package-manager.js";
import { type Published, readPublished } from "./published.js";
import type { Terminal } from "./terminal.js";
import { verb as testVerb } from "./verbs/test.js";

/** What one look at a pack found. */
export interface PackCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly fact: string;
}

/** Shows what was found, one line each. */
export function printChecks(checks: readonly PackCheck[], { print, paint }: Terminal): void {
  for (const { name, ok, fact } of checks) {
    print(`${paint(ok ? "green" : "red", ok ? "ok  " : "FAIL")} ${name.padEnd(9)}${printable(fact)}`);
  }
}

type Description = Readonly<Record<string, unknown>>;

/** Everything that must be right before a pack is published. */
export async function checkPack(root: string, terminal: Terminal): Promise<PackCheck[]> {
  const description = readPackage(root) ?? {};
  const pack = await readPack(root);
  const published = await readPublished(root, terminal.host.env);
  const about = [...metadata(description), scripts(description, published)];
  if ("problems" in pack) return [...about, broken(pack.problems)];
  return [
    ...about,
    same(description, pack),
    { name: "policy", ok: true, fact: "harn.toml is whole" },
    runtime(pack),
    exported(pack),
    options(pack),
    needs(description, pack),
    files(description, pack, published),
    ...(await tests(root, terminal)),
    readme(root, pack),
  ];
}

function metadata({ name, version, keywords, license, private: isPrivate }: Description): PackCheck[] {
  const words = Array.isArray(keywords) ? keywords : [];
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
    ...(isPrivate === true ? [check("private", false, "package.json says private: nothing publishes it")] : []),
  ];
}

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare", "prepublish"];

/** Whoever installs a policy must not run code before anybody has looked at it. */
function scripts({ scripts: given, gypfile }: Description, published: Published): PackCheck {
  const found = INSTALL_SCRIPTS.filter((script) => Object.hasOwn((given as object) ?? {}, script));
  // Package managers compile what brings one of these, without any script that says so.
  const isCompiled = gypfile !== false && "files" in published && published.files.includes("binding.gyp");
  const all = [...found, ...(isCompiled ? ["binding.gyp"] : [])];
  const fact = all.length === 0 ? "no install scripts" : `install scripts: ${all.join(", ")}`;
  return { name: "scripts", ok: all.length === 0, fact };
}

function broken([first]: readonly Problem[]): PackCheck {
  const fact = first === undefined ? "" : `${first.message} (${first.place.file}:${first.place.line})`;
  return { name: "policy", ok: false, fact };
}

/** Both files name the pack; whoever reads one of them must not be told something else than whoever reads the other. */
function same({ name, version }: Description, { manifest: { package: own } }: PackContents): PackCheck {
  const differs = [
    ...(own !== undefined && own.name !== name ? [`it is called ${own.name} there`] : []),
    ...(own?.version !== undefined && own.version !== version ? [`its version is ${own.version} there`] : []),
  ];
  const fact = differs.length === 0 ? "harn.toml says the same of it" : `harn.toml: ${differs.join(", ")}`;
  return { name: "manifest", ok: differs.length === 0, fact };
}

function runtime({ manifest, api }: PackContents): PackCheck {
  const range = manifest.package?.harn;
  if (range === undefined)
    return { name: "runtime", ok: false, fact: "[package] harn must say which versions of Harn it is for" };
  if (api !== undefined && "mistake" in api) return { name: "runtime", ok: false, fact: api.mistake };
  return { name: "runtime", ok: true, fact: `for Harn ${range}${api === undefined ? "" : `, hook API ${api.range}`}` };
}

function exported({ unresolved }: PackContents): PackCheck {
  const fact = unresolved.length === 0 ? "everything it offers is there" : unresolved.join("; ");
  return { name: "exports", ok: unresolved.length === 0, fact };
}

function options({ schemas }: PackContents): PackCheck {
  const fact = schemas.length === 0 ? "the schemas of its options can be used" : schemas.join("; ");
  return { name: "options", ok: schemas.length === 0, fact };
}

/** Whether those who install it get what it uses. */
function needs({ dependencies, peerDependencies }: Description, pack: PackContents): PackCheck {
  const declared = { ...(dependencies as object), ...(peerDependencies as object) };
  const missing = pack.needs.filter((name) => !Object.hasOwn(declared, name));
  const fact =
    missing.length === 0
      ? "it depends on what it uses"
      : `not among the dependencies of package.json: ${missing.join(", ")}`;
  return { name: "needs", ok: missing.length === 0, fact };
}

/** Whether what the policy needs is among what would be published. */
function files({ files: listed }: Description, pack: PackContents, published: Published): PackCheck {
  const check = (ok: boolean, fact: string): PackCheck => ({ name: "files", ok, fact });
  if (!Array.isArray(listed)) return check(false, "package.json must list its files");
  if ("mistake" in published) return check(false, published.mistake);
  const missing = pack.files.filter((file) => !published.files.includes(file));
  return check(
    missing.length === 0,
    missing.length === 0
      ? `everything it needs is published, ${published.files.length} files`
      : `not published: ${missing.join(", ")}`,
  );
}

/** Runs the table tests, and wants each gate seen blocking. */
async function tests(root: string, terminal: Terminal): Promise<PackCheck[]> {
  const answers: { ok?: boolean; cases?: unknown[]; never_blocked?: string[]; problems?: Problem[] }[] = [];
  const silent = { ...terminal, host: { ...terminal.host, cwd: root }, print() {}, talk() {} };
  const flags = { manifest: join(root, "harn.toml"), json: true, watch: false };
  try {
    await testVerb.run({ flags, words: [] } as never, {
      ...silent,
      json: (value) => void answers.push(value as object),
    });
  } catch (error) {
    return [{ name: "tests", ok: false, fact: messageOf(error) }];
  }
  const [answer = {}] = answers;
  if (answer.problems !== undefined) return [refused(answer.problems)];
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

function refused([first]: readonly Problem[]): PackCheck {
  const remedy = first?.code === "HARN_E_UNTRUSTED" ? "; look at it, then run harn trust" : "";
  return { name: "tests", ok: false, fact: `${first?.message ?? "they did not run"}${remedy}` };
}

/** A table of hooks: a row for each. */
function readme(root: string, { hooks }: PackContents): PackCheck {
  const path = join(root, "README.md");
  const rows = existsSync(path) ? readFileSync(path, "utf8").match(/^\s*\|.*$/gm) : null;
  const cells = (rows ?? []).flatMap((row) => row.split("|").map((cell) => cell.trim().replace(/^[`*]+|[`*]+$/g, "")));
  const missing = hooks.filter((id) => !cells.includes(id));
  const ok = rows !== null && missing.length === 0;
  const fact = ok
    ? "the table of README.md has every hook"
    : `the table of hooks in README.md has no row for ${missing.join(", ") || "any"}`;
  return { name: "readme", ok, fact };
}
