// Every link of every page leads somewhere, and the pages name every verb.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { verbs } from "../../packages/cli/src/verbs.js";
import { packageFolders, root } from "./repository.js";

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "plugins/README.md",
  ...pagesIn("docs"),
  ...pagesIn("docs/decisions"),
  ...packageFolders().map((folder) => `${folder}/README.md`),
  ...readdirSync(join(root, "examples")).flatMap((name) => pagesIn(`examples/${name}`)),
];

test.each(PAGES)("every link of %s leads somewhere", (page) => {
  expect(linksOf(page).filter((link) => isDead(page, link))).toEqual([]);
});

test("every guide is linked from another page, and every decision has a number of its own", () => {
  const linked = PAGES.flatMap((page) => linksOf(page).map((link) => join(dirname(page), link.replace(/#.*/, ""))));
  expect(pagesIn("docs").filter((page) => !linked.includes(page))).toEqual([]);
  const numbers = pagesIn("docs/decisions").map((page) => /\d{3}/.exec(page)?.[0]);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test.each(Object.keys(verbs))("harn %s is in the README and in docs/cli.md", (verb) => {
  expect(read("README.md")).toContain(`\`${verb}\``);
  expect(anchorsOf("docs/cli.md").some((anchor) => anchor.split("-").includes(verb))).toBe(true);
});

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

/** What a page says outside of its fenced blocks. */
function proseOf(page: string): string {
  return read(page).replace(/^```.*?^```$/gms, "");
}

/** The links of a page into this repository. */
function linksOf(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function isDead(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
}

/** What the headings of a page are linked by. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
