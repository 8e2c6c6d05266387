import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { root } from "../house/repository.js";
import { trust } from "../house/trusted.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), "harn-watch-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
  rmSync(`${cwd}-state`, { recursive: true, force: true });
});

test("harn test --watch tries again when a file changes, and ends with ctrl-C", async () => {
  cpSync(join(here, "test-passes"), cwd, { recursive: true });
  cpSync(join(here, "policy.mjs"), join(cwd, "policy.mjs"));
  const env = { PATH: process.env.PATH, HOME: cwd, XDG_STATE_HOME: `${cwd}-state` };
  await trust(cwd, env);
  const child = spawn(process.execPath, [join(root, "packages/cli/dist/bin.js"), "test", "--watch"], {
    cwd,
    env,
  });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.on("close", resolve));
  const wait = (text: RegExp) => vi.waitFor(() => expect(said).toMatch(text), { timeout: 20_000, interval: 50 });
  await wait(/cases hold.*waiting for a change/s);
  expect(said).not.toContain("FAIL");
  const policy = join(cwd, "policy.mjs");
  writeFileSync(policy, readFileSync(policy, "utf8").replace(/"npm ci"/g, '"npm install"'));
  await wait(/FAIL/);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});
