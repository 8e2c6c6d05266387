// Every shell block of the README and of the guides, in a fresh directory, with the packages as a user installs them.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fencesOf, isForRepository } from "../house/markdown.js";
import { root } from "../house/repository.js";
import { environment, runShell } from "./environment.js";
import { packFor, type Registry, serve } from "./registry.js";

const PAGES = ["README.md", "packages/cli/README.md", "docs/writing-a-hook.md"];
// What the pages install.
const NEEDED = ["harn", "@hooks/command-guard", "@hooks/output-cap"];

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-docs-")));
let registry: Registry;
beforeAll(async () => {
  registry = await serve(await packFor(NEEDED, scratch));
}, 120_000);
afterAll(() => {
  registry.close();
  rmSync(scratch, { recursive: true });
});

describe.each(PAGES)("%s", (page) => {
  const fences = fencesOf(readFileSync(join(root, page), "utf8"));
  const blocks = fences.flatMap((fence, index) => {
    const next = fences[index + 1];
    // The tests of the README look after those for a clone.
    if (fence.language !== "sh" || isForRepository(fence)) return [];
    return [{ script: fence.text, prints: next?.language === "text" ? next.text : undefined }];
  });
  const home = join(scratch, page.replace(/\W+/g, "-"));

  test("its shell blocks work, one after another, and print what it says", { timeout: 180_000 }, async () => {
    expect(blocks).not.toEqual([]);
    const cwd = join(home, "project");
    mkdirSync(cwd, { recursive: true });
    let here = cwd;
    for (const { script, prints } of blocks) {
      const { status, stdout, stderr } = await runShell(script, here, environment(join(home, "home"), registry));
      expect({ script, status, stderr: status === 0 ? "" : stderr }).toEqual({ script, status: 0, stderr: "" });
      if (prints !== undefined) expect(steady(stdout)).toBe(steady(prints));
      // A `cd` of one block holds for the next, as it does for whoever types along.
      here = join(here, /^cd (\S+)/m.exec(script)?.[1] ?? ".");
    }
  });
});

/** Durations differ from run to run. */
function steady(text: string): string {
  return text.replace(/[\d.]+ ms, \d+ %/g, "0.00 ms, 0 %").trim();
}
