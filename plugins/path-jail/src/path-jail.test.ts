import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { afterAll, describe, expect, test } from "vitest";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-jail-")));
const root = join(scratch, "work/project");
const outside = join(scratch, "work/outside");
afterAll(() => rmSync(scratch, { recursive: true }));

interface Samples {
  readonly paths: readonly string[];
  readonly tools: readonly (readonly [string, JsonObject])[];
  readonly commands: readonly string[];
}

/** `<out>` in a sample is a directory beside the root, `<root>` the root, `<home>` the home directory. */
const samples = (name: string) => JSON.parse(readFileSync(join(plugin, `samples/${name}.json`), "utf8")) as Samples;
const escapes = samples("escapes");
const harmless = samples("harmless");

arrange();

function arrange(): void {
  for (const directory of [
    "src/deep",
    "packages/a",
    "packages/b",
    "build",
    "docs",
    "node_modules/@hooks",
    "café",
    "with space",
    "secrets",
    ".git",
  ]) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  mkdirSync(join(outside, "dir"), { recursive: true });
  mkdirSync(`${root}-evil`);
  const files = [
    "src/a.ts",
    "src/b.ts",
    "README.md",
    ".env",
    "secrets/key.pem",
    "package.json",
    "café/x",
    "build/out.js",
    "list.txt",
    "p.diff",
    "build/d.patch",
  ];
  for (const file of files) writeFileSync(join(root, file), file.endsWith(".json") ? "{}" : "x\n");
  writeFileSync(join(outside, "secret.txt"), "secret\n");
  const links: Record<string, string> = {
    link: outside,
    filelink: join(outside, "secret.txt"),
    dangling: join(outside, "new.txt"),
    chain: "src/hop",
    "src/hop": "../link",
    up: "..",
    abs: "/etc",
    loop: "loop",
    "src/deep/far": "../../../outside/secret.txt",
    procroot: "/proc/self/root",
    inner: "src",
    devnull: "/dev/null",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  linkSync(join(root, ".env"), join(root, "hard.txt"));
  symlinkSync(plugin, join(root, "node_modules/@hooks/path-jail"));
}

async function load(options: string, isolation = "inline") {
  const file = join(root, "harn.toml");
  writeFileSync(
    file,
    `[[hooks]]\nevent = "PreToolUse"\nhandler = "@hooks/path-jail::jail"\nisolation = "${isolation}"\noptions = { ${options} }\n`,
  );
  const loaded = await loadHarness({ cwd: root, harness: { ports: { warn: () => {} } } });
  rmSync(file);
  if (!loaded.ok) throw new Error(loaded.message);
  return (name: string, args: JsonObject) =>
    loaded.harness.fire("PreToolUse", { tool: { name, args }, session: { id: "s", cwd: root } });
}

const put = (text: string) =>
  text.replaceAll("<out>", outside).replaceAll("<root>", root).replaceAll("<home>", homedir());
const fill = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, item) => (typeof item === "string" ? put(item) : item)) as T;

const DENY = 'deny = [".env", "secrets/", "*.pem", "~/.ssh"]';
const strict = await load(DENY);

describe("what leads out of the jail is not allowed", () => {
  test.each(escapes.paths)("file tools: %j", async (path) => {
    for (const [tool, key] of [
      ["Read", "file_path"],
      ["Write", "file_path"],
      ["edit", "filePath"],
      ["create", "path"],
    ] as const) {
      const { verdict, faults } = await strict(tool, { [key]: put(path), content: "x" });
      expect(faults).toEqual([]);
      expect(verdict, tool).toBe("block");
    }
  });

  test.each(escapes.tools)("$0 %j", async (name, args) => {
    const { verdict, faults } = await strict(name, fill(args));
    expect(faults).toEqual([]);
    expect(verdict).not.toBe("allow");
  });

  test.each(escapes.commands)("%s", async (command) => {
    const { verdict, faults } = await strict("Bash", { command: put(command) });
    expect(faults).toEqual([]);
    expect(verdict).not.toBe("allow");
  });

  test("there are enough of them", () => {
    expect(escapes.paths.length + escapes.tools.length + escapes.commands.length).toBeGreaterThanOrEqual(1_500);
    expect(harmless.commands.length + harmless.tools.length).toBeGreaterThanOrEqual(300);
  });
});

describe("what stays inside is allowed", () => {
  test.each(harmless.commands)("%s", async (command) => {
    const { verdict, reason } = await strict("Bash", { command: put(command) });
    expect([verdict, reason]).toEqual(["allow", undefined]);
  });

  test.each(harmless.tools)("%s %j", async (name, args) => {
    const { verdict, reason, faults } = await strict(name, fill(args));
    expect([verdict, reason, faults]).toEqual(["allow", undefined, []]);
  });
});

describe("lists", () => {
  test("write and read add to the roots, ! takes out, deny and ask come first", async () => {
    const run = await load(
      `read = ["/var/log/**"], write = ["${outside}/dir", "!*.lock", "!docs/**"], ask = ["package.json"], deny = [".ENV"]`,
    );
    const verdict = async (name: string, path: string) => (await run(name, { file_path: put(path) })).verdict;
    expect(await verdict("Read", "/var/log/syslog")).toBe("allow");
    expect(await verdict("Write", "/var/log/syslog")).toBe("block");
    expect(await verdict("Write", "<out>/dir/x")).toBe("allow");
    expect(await verdict("Write", "<out>/dirx")).toBe("block");
    expect(await verdict("Write", "src/yarn.lock")).toBe("block");
    expect(await verdict("Read", "src/yarn.lock")).toBe("allow");
    expect(await verdict("Write", "docs/a.md")).toBe("block");
    expect(await verdict("Write", "package.json")).toBe("ask");
    expect(await verdict("Read", ".env")).toBe("block");
  });

  test("only some directories may be written", async () => {
    const run = await load('write = ["!**", "src/**"]');
    expect((await run("Write", { file_path: "src/new/x.ts" })).verdict).toBe("allow");
    expect((await run("Write", { file_path: "README.md" })).reason).toContain("may not be written here");
    expect((await run("Bash", { command: "echo x >> README.md" })).verdict).toBe("block");
    expect((await run("Bash", { command: "cat README.md > src/copy.md" })).verdict).toBe("allow");
  });

  test("several roots, and arguments of one's own tools", async () => {
    const run = await load(`roots = [".", "${outside}"], fields = { deploy = ["where"] }`);
    expect((await run("Read", { file_path: "link/secret.txt" })).verdict).toBe("allow");
    expect((await run("deploy", { where: "up" })).verdict).toBe("block");
    expect((await run("deploy", { where: "src" })).verdict).toBe("allow");
  });

  test("unclear is ask, block or allow", async () => {
    const call = { command: 'cat "$FILE"' };
    for (const verdict of ["ask", "block", "allow"]) {
      expect((await (await load(`unclear = "${verdict}"`))("Bash", call)).verdict).toBe(verdict);
    }
  });
});

describe("the canonical path is handed on", () => {
  test("to file tools, links resolved", async () => {
    const { payload } = await strict("Write", { file_path: "inner/../src/new.ts", content: "x" });
    expect(payload.tool.args).toEqual({ file_path: join(root, "src/new.ts"), content: "x" });
    const many = await strict("read_many_files", { paths: ["src/a.ts", "inner/b.ts"] });
    expect(many.payload.tool.args).toEqual({ paths: [join(root, "src/a.ts"), join(root, "src/b.ts")] });
  });

  test("and not when it is canonical already, or when that is switched off", async () => {
    expect((await strict("Read", { file_path: join(root, "src/a.ts") })).modified).toBe(false);
    expect((await (await load("canonicalise = false"))("Read", { file_path: "src/a.ts" })).modified).toBe(false);
  });
});

test("it works in a worker, at priority 10, and says what to do instead", async () => {
  const run = await load(DENY, "worker");
  const outcome = await run("Bash", { command: "cat link/secret.txt" });
  expect(outcome).toMatchObject({ verdict: "block", faults: [] });
  expect(outcome.reason).toBe(`cat would read ${outside}/secret.txt, which is outside of ${root}: use a path inside`);
  expect(outcome.trace).toMatchObject([{ priority: 10 }]);
  expect((await run("Bash", { command: "cat src/a.ts" })).verdict).toBe("allow");
});

test("a root that is not there blocks everything, visibly", async () => {
  const run = await load('roots = ["nowhere"]');
  expect(await run("Read", { file_path: "src/a.ts" })).toMatchObject({
    verdict: "block",
    faults: [{ error: { message: expect.stringContaining("does not exist") } }],
  });
});
