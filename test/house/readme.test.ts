import { execFileSync, execSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commandsOf, examplesOf } from "./markdown.js";
import { readJson, root } from "./repository.js";

const SETUP = "node scripts/setup.mjs && ";
const PAGES = [
  "README.md",
  "packages/core/README.md",
  "packages/manifest/README.md",
  "packages/starlark/README.md",
  "packages/secrets/README.md",
  "plugins/audit/README.md",
  "plugins/command-guard/README.md",
  "plugins/meta-guard/README.md",
  "plugins/output-cap/README.md",
  "plugins/path-jail/README.md",
  "plugins/prefer-named-tools/README.md",
  "plugins/window-cap/README.md",
  "packages/agents/README.md",
  "packages/tape/README.md",
  "docs/writing-a-hook.md",
];
const scratch = join(root, "test/house/.tmp");
const { scripts } = readJson<{ scripts: Record<string, string> }>("package.json");

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

describe("the commands of README.md", () => {
  const commands = commandsOf(read("README.md"));

  test("start with the two a newcomer needs", () => {
    expect(commands).toEqual(expect.arrayContaining(["npm start", "npm test"]));
    expect(read("README.md").split("\n").slice(0, 10).join("\n")).toMatch(/npm start.*npm test/s);
  });

  // A test run inside a test run would never end: that `npm test` works is for .ci/run to show.
  test("npm test is what .ci/run runs, and vitest comes last in it", () => {
    expect(read(".ci/run")).toMatch(/^npm test$/m);
    expect(scripts.test).toMatch(/^node scripts\/setup\.mjs && .* && vitest run$/);
  });

  test.each(commands.filter((command) => command !== "npm test"))("%s works", (command) => {
    const output = run(command);
    if (command === "npm start") expectGovernedSession(output);
  });
});

function run(command: string): string {
  const name = /^npm (?:run )?(\S+)$/.exec(command)?.[1];
  const script = name === undefined ? command : scripts[name];
  if (script === undefined) throw new Error(`package.json has no script for "${command}"`);
  // Whoever runs this test has installed and built already.
  return execSync(script.replace(SETUP, ""), { cwd: root, encoding: "utf8" });
}

function expectGovernedSession(output: string): void {
  for (const word of ["ALLOWED", "REWRITTEN", "ASKED", "DENIED", "BLOCKED", "CAPPED", "reminder"]) {
    expect(output).toContain(`   ${word} `);
  }
  // What the blocked call would have deleted is there, and what the denied call would have written is not.
  expect(output).toMatch(/^On disk +build\.log, notes\/plan\.md, report\.md$/m);
  expect(output).not.toContain("\u001b");
  expect(output).toMatch(/^ +10 {2}command_guard +run_command .*harn\.toml\.example:\d+$/m);
  // What it says to try next works, in a home where nothing was trusted before.
  const next = [...output.matchAll(/npm run -s (harn -- .*)/g)].map(([command]) => command);
  const home = mkdtempSync(join(tmpdir(), "harn-readme-"));
  const said = next.map((command) =>
    execSync(command, { cwd: root, encoding: "utf8", env: { ...process.env, HOME: home, XDG_STATE_HOME: "" } }),
  );
  rmSync(home, { recursive: true });
  expect(said.join("")).toContain("BLOCK: dangerous command pattern blocked");
  for (const [, name = ""] of output.matchAll(/\bnpm (?:run (?:-s )?)?(\w+)/g)) {
    const [, file] = /\bnode (\S+)$/.exec(scripts[name] ?? "") ?? [];
    expect(scripts, `npm run ${name}`).toHaveProperty(name);
    if (file !== undefined) expect(existsSync(join(root, file)), `${file}, which npm run ${name} runs`).toBe(true);
  }
}

describe("the examples of the README files", () => {
  const examples = PAGES.flatMap((page) =>
    examplesOf(read(page)).map((example, index) => ({
      ...example,
      page,
      file: join(scratch, `${page.replace(/\W/g, "-")}-${index}.ts`),
    })),
  );

  beforeAll(() => {
    mkdirSync(scratch, { recursive: true });
    for (const { file, code } of examples) writeFileSync(file, code);
    writeFileSync(
      join(scratch, "tsconfig.json"),
      JSON.stringify({ extends: "../../../tsconfig.test.json", include: ["*.ts"] }),
    );
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  test.each(PAGES)("%s has one", (page) => {
    expect(examples.filter((example) => example.page === page)).not.toEqual([]);
  });

  test("compile", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    expect(output(() => execFileSync(process.execPath, [tsc, "-p", scratch], { encoding: "utf8" }))).toBe("");
  });

  test.each(examples)("$page prints what it says", async ({ file, prints }) => {
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...words) => void lines.push(words.join(" ").trimEnd()));
    try {
      await import(/* @vite-ignore */ pathToFileURL(file).href);
    } finally {
      log.mockRestore();
    }
    expect(prints).not.toBe("");
    expect(`${lines.join("\n")}\n`).toBe(prints);
  });
});

/** What a compiler says, whether it ends well or not. */
function output(compile: () => string): string {
  try {
    return compile();
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
