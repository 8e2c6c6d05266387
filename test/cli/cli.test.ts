import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { root } from "../house/repository.js";
import { trust } from "../house/trusted.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const bin = join(root, "packages/cli/dist/bin.js");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-cli-")));
afterAll(() => rmSync(scratch, { recursive: true }));

const cases = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, "args.json")))
  .map(({ name }) => name);

/** What no two runs have in common: the directory, how long things took, which Node it is, and the words of its JSON parser. */
function steady(text: string, cwd: string): string {
  return text
    .replaceAll(cwd, "<cwd>")
    .replace(/(HARN_TRUST=|trusted: |"digest":")[0-9a-f]{64}/g, "$1<digest>")
    .replaceAll(`Node ${process.versions.node}`, "Node <version>")
    .replace(/"duration_ms":[\d.e-]+/g, '"duration_ms":0')
    .replace(/[\d.]+ ms, \d+ %/g, "0.00 ms, 0 %")
    .replace(/it is not JSON: (?:[^"\\]|\\.)*/g, "it is not JSON: <why>");
}

/** The files a command wrote, each whole. */
function written(home: string, cwd: string): string {
  const names = readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "policy.mjs" && !entry.parentPath.includes("node_modules"))
    .map((entry) => relative(cwd, join(entry.parentPath, entry.name)));
  return names
    .sort()
    .filter((name) => readText(join(home, name)) !== readText(join(cwd, name)))
    .map((name) => `--- ${name}\n${readText(join(cwd, name))}`)
    .join("");
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

test.each(cases)("%s", async (name) => {
  const home = join(here, name);
  const cwd = join(scratch, name);
  cpSync(home, cwd, { recursive: true });
  cpSync(join(here, "policy.mjs"), join(cwd, "policy.mjs"));
  // git keeps no directory called node_modules.
  if (existsSync(join(cwd, "node_modules.tree"))) renameSync(join(cwd, "node_modules.tree"), join(cwd, "node_modules"));
  const {
    args,
    env: more = {},
    trusted = true,
  } = JSON.parse(readFileSync(join(home, "args.json"), "utf8")) as {
    args: string[];
    env?: Record<string, string>;
    /** Whether a person trusted the policy before; they did when absent. */
    trusted?: boolean;
  };
  const env = { PATH: process.env.PATH, HOME: scratch, XDG_STATE_HOME: join(scratch, "state", name), ...more };
  const manifest = args[args.indexOf("--manifest") + 1];
  if (trusted) await trust(cwd, env, args.includes("--manifest") ? manifest : undefined);
  const stdin = join(home, "stdin.jsonl");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd,
    encoding: "utf8",
    input: existsSync(stdin) ? readFileSync(stdin) : "",
    env,
  });
  const told = `exit ${status}\n--- stdout\n${stdout}--- stderr\n${stderr}${written(home, cwd)}`;
  await expect(steady(told, cwd)).toMatchFileSnapshot(join(home, "expected.txt"));
});
