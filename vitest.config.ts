import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

// Workspace packages resolve to their sources, so an edit is tested without a build in between.
const sources = readdirSync(new URL("packages/", import.meta.url)).map((name) => ({
  find: new RegExp(`^${name === "cli" ? "harn" : `@hooks/${name}`}$`),
  replacement: new URL(`packages/${name}/src/index.ts`, import.meta.url).pathname,
}));

export default defineConfig({
  resolve: { alias: sources },
  test: {
    include: ["packages/*/src/**/*.test.ts", "plugins/*/src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    // Taking scratch directories away again takes its time on a machine that is busy.
    hookTimeout: 60_000,
  },
});
