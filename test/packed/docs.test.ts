// Every shell block of every page, in a fresh directory, with the packages as a user installs them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fencesOf, isForRepository } from "../house/markdown.js";
import { packageFolders, root } from "../house/repository.js";
import { environment, runShell } from "./environment.js";
import { packFor, publishedFolders, type Registry, serve } from "./registry.js";

const PAGES = ["README.md", ...pagesIn("docs"), ...packageFolders().map((folder) => `${folder}/README.md`)];
// Where the README leaves off after its first block: what a page without an installation goes on from.
const START = "npm init --yes && npm install --save-dev harn && npx harn init --yes";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-docs-")));
let registry: Registry;
beforeAll(async () => {
  registry = await serve(await packFor([...publishedFolders().keys()], scratch));
}, 120_000);
afterAll(() => {
  registry.close();
  rmSync(scratch, { recursive: true });
});

const pages = PAGES.map((page) => ({ page, blocks: blocksOf(page) })).filter(({ blocks }) => blocks.length > 0);

test("the README and the guides have shell blocks", () => {
  expect(pages.map(({ page }) => page)).toEqual(expect.arrayContaining(["README.md", "docs/writing-a-hook.md"]));
});

describe.each(pages)("$page", ({ page, blocks }) => {
  const home = join(scratch, page.replace(/\W+/g, "-"));

  test("its shell blocks work, one after another, and print what it says", { timeout: 180_000 }, async () => {
    const cwd = join(home, "project");
    mkdirSync(cwd, { recursive: true });
    let here = cwd;
    const isOnItsOwn = blocks.some(({ script }) => /^npm init\b/m.test(script));
    for (const { script, prints } of isOnItsOwn ? blocks : [{ script: START, prints: undefined }, ...blocks]) {
      const { status, stdout, stderr } = await runShell(script, here, environment(join(home, "home"), registry));
      expect({ script, status, stderr: status === 0 ? "" : stderr }).toEqual({ script, status: 0, stderr: "" });
      if (prints !== undefined) expect(steady(stdout)).toBe(steady(prints));
      // A `cd` of one block holds for the next, as it does for whoever types along.
      here = join(here, /^cd (\S+)/m.exec(script)?.[1] ?? ".");
    }
  });
});

interface Block {
  readonly script: string;
  readonly prints: string | undefined;
}

/** The shell blocks a person types; a program that is shown (`#!`) has its own tests, and so have those for a clone. */
function blocksOf(page: string): Block[] {
  const fences = fencesOf(readFileSync(join(root, page), "utf8"));
  return fences.flatMap((fence, index) => {
    const next = fences[index + 1];
    if (fence.language !== "sh" || isForRepository(fence) || fence.text.startsWith("#!")) return [];
    return [{ script: fence.text, prints: next?.language === "text" ? next.text : undefined }];
  });
}

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

/** Durations differ from run to run. */
function steady(text: string): string {
  return text.replace(/[\d.]+ ms, \d+ %/g, "0.00 ms, 0 %").trim();
}
