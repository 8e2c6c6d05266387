// A team's policy pack from its beginning to a tampered checkout; `npm run test:e2e` walks all of it, with a real registry.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { walkPolicy } from "./policy-walk.js";
import { login, loopbackRegistry } from "./publishing.js";
import { packFor, serve } from "./registry.js";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-policy-")));
afterAll(() => rmSync(scratch, { recursive: true }));

test("a pack is made, published, extended, not weakened, updated and frozen", { timeout: 300_000 }, async () => {
  const registry = await serve(await packFor(["harn"], scratch));
  const steps: string[] = [];
  try {
    mkdirSync(join(scratch, "walk"));
    await walkPolicy(registry, join(scratch, "walk"), (step) => void steps.push(step), 2);
  } finally {
    registry.close();
  }
  expect(steps.at(-1)).toBe("at no load either");
});

test.each([
  ["nothing", undefined],
  ["the public one", "https://registry.example.com/"],
  ["a name that leads to this machine", "http://localhost:4873/"],
  ["another machine", "http://10.0.0.1:4873/"],
])("refuses to publish to %s", (_, npm_config_registry) => {
  const env = { npm_config_registry, npm_config_userconfig: join(scratch, "npmrc") };
  expect(() => loopbackRegistry(env)).toThrow("not publishing");
  expect(() => login(env)).toThrow("not publishing");
});
