import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { root } from "../house/repository.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const bin = join(root, "packages/cli/dist/bin.js");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-cli-")));
afterAll(() => rmSync(scratch, { recursive: true }));

const cases = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, "args.json")))
  .map(({ name }) => name);

/** What no two runs have in common: the directory, how long things took, and the words of Node's own JSON parser. */
function steady(text: string, cwd: string): string {
  return text
    .replaceAll(cwd, "<cwd>")
    .replace(/"duration_ms":[\d.e-]+/g, '"duration_ms":0')
    .replace(/[\d.]+ ms, \d+ %/g, "0.00 ms, 0 %")
    .replace(/it is not JSON: (?:[^"\\]|\\.)*/g, "it is not JSON: <why>");
}

test.each(cases)("%s", async (name) => {
  const home = join(here, name);
  const cwd = join(scratch, name);
  cpSync(home, cwd, { recursive: true });
  cpSync(join(here, "policy.mjs"), join(cwd, "policy.mjs"));
  const { args, env = {} } = JSON.parse(readFileSync(join(home, "args.json"), "utf8")) as {
    args: string[];
    env?: Record<string, string>;
  };
  const stdin = join(home, "stdin.jsonl");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd,
    encoding: "utf8",
    input: existsSync(stdin) ? readFileSync(stdin) : "",
    env: { PATH: process.env.PATH, ...env },
  });
  const told = `exit ${status}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
  await expect(steady(told, cwd)).toMatchFileSnapshot(join(home, "expected.txt"));
});
