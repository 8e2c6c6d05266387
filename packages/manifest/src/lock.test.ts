import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadHarness } from "./harness.js";
import { makeLock } from "./make-lock.js";

let root: string;

const GUARD = "export const guard = () => undefined;\n";
const FILES: Readonly<Record<string, string>> = {
  "harn.toml": 'extends = ["@acme/pack"]\n\n[[hooks]]\nevent = "Stop"\nhandler = "guards::guard"\n',
  "node_modules/@acme/pack/package.json":
    '{"name":"@acme/pack","version":"2.1.0","type":"module","dependencies":{"deep":"*"}}',
  "node_modules/@acme/pack/harn.toml":
    '[exports]\nrules = "rules.js"\n\n[[hooks]]\nid = "guard"\nevent = "PreToolUse"\nhandler = "rules::guard"\n',
  "node_modules/@acme/pack/rules.js": `import "deep";\n${GUARD}`,
  "node_modules/@acme/pack/.harness/hooks/note.md":
    "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n    return allow()\n---\n",
  "node_modules/deep/package.json": '{"name":"deep","version":"1.0.0","type":"module","exports":"./index.js"}',
  "node_modules/deep/index.js": "export default 1;\n",
  "node_modules/guards/package.json": '{"name":"guards","version":"1.0.0","type":"module","exports":"./index.js"}',
  "node_modules/guards/index.js": GUARD,
};

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

async function lock(reason?: string) {
  const made = await makeLock({ cwd: root, managed: [] }, { reason });
  writeFileSync(join(root, "harn.lock"), made.text);
  return made;
}

async function load(more: object = {}): Promise<string> {
  const loaded = await loadHarness({ cwd: root, managed: [], ...more });
  if (loaded.ok) loaded.harness.close();
  return loaded.ok ? "" : loaded.message;
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "harn-lock-")));
  mkdirSync(join(root, ".git"));
  for (const [file, text] of Object.entries(FILES)) write(file, text);
});
afterEach(() => rmSync(root, { recursive: true }));

describe("harn.lock", () => {
  test("holds every package and what it depends on, is the same every time, and loads", async () => {
    const { packages, text } = await lock();
    expect(packages.map(({ name, kind }) => [name, kind])).toEqual([
      ["@acme/pack", "pack"],
      ["deep", "dependency"],
      ["guards", "hooks"],
    ]);
    expect((await lock()).text).toBe(text);
    expect(await load({ frozen: true })).toBe("");
  });

  test.each<[string, string, () => void]>([
    [
      "the pack's manifest",
      "harn.toml changed",
      () => appendFileSync(join(root, "node_modules/@acme/pack/harn.toml"), "#\n"),
    ],
    [
      "a module of the pack",
      "rules.js changed",
      () => appendFileSync(join(root, "node_modules/@acme/pack/rules.js"), "//\n"),
    ],
    ["a nested dependency", "index.js changed", () => write("node_modules/deep/index.js", "export default 2;\n")],
    ["a bound package", "index.js changed", () => write("node_modules/guards/index.js", `${GUARD} `)],
    [
      "a Markdown hook",
      ".harness/hooks/note.md changed",
      () => appendFileSync(join(root, "node_modules/@acme/pack/.harness/hooks/note.md"), "\n"),
    ],
    [
      "what a package says of itself",
      "package.json changed",
      () => appendFileSync(join(root, "node_modules/guards/package.json"), " "),
    ],
    ["a file that was added", "evil.js was added", () => write("node_modules/@acme/pack/evil.js", "")],
    ["a file that is gone", "rules.js is gone", () => rmSync(join(root, "node_modules/@acme/pack/rules.js"))],
    [
      "a file swapped for a link",
      "index.js changed",
      () => {
        write("node_modules/guards/other.js", GUARD);
        rmSync(join(root, "node_modules/guards/index.js"));
        symlinkSync("./other.js", join(root, "node_modules/guards/index.js"));
      },
    ],
    [
      "the lock itself",
      "rules.js",
      () => {
        const path = join(root, "harn.lock");
        writeFileSync(path, readFileSync(path, "utf8").replace(/"rules.js" = "sha256:../, '"rules.js" = "sha256:xx'));
      },
    ],
    [
      "another version",
      "guards 1.0.1 is installed, 1.0.0 is locked",
      () =>
        write(
          "node_modules/guards/package.json",
          (FILES["node_modules/guards/package.json"] ?? "").replace("1.0.0", "1.0.1"),
        ),
    ],
  ])("refuses %s: %s", async (_, message, tamper) => {
    await lock();
    tamper();
    expect(await load()).toContain(message);
  });

  test("refuses what changes between the look and the loading", async () => {
    const own =
      "import { appendFileSync } from 'node:fs';\nappendFileSync(new URL('../deep/index.js', import.meta.url), '//');\n";
    write("node_modules/guards/index.js", own + GUARD);
    await lock();
    expect(await load()).toContain("deep 1.0.0 is not what was locked: index.js changed");
  });

  test("is wanted in CI, where it must not hold too much either", async () => {
    expect(await load()).toBe("");
    expect(await load({ frozen: true })).toContain("there is no harn.lock");
    await lock();
    write("harn.toml", 'extends = ["@acme/pack"]\n');
    expect(await load()).toBe("");
    expect(await load({ frozen: true })).toContain("guards 1.0.0 is locked and not used");
  });

  test("remembers the highest version, also through a merge conflict", async () => {
    await lock();
    const before = readFileSync(join(root, "harn.lock"), "utf8");
    write("harn.lock", `<<<<<<< ours\n${before}=======\n${before.replaceAll("2.1.0", "2.2.0")}>>>>>>> theirs\n`);
    expect(await load()).toContain("it has a merge conflict");
    const { downgrades } = await makeLock({ cwd: root, managed: [] });
    expect(downgrades).toEqual([{ name: "@acme/pack", version: "2.1.0", highest: "2.2.0" }]);
    const { packages } = await lock("2.2.0 breaks the build");
    expect(packages[0]).toMatchObject({ highest: "2.2.0", downgraded: "2.2.0 breaks the build" });
    expect(await load()).toBe("");
    expect((await lock()).downgrades).toEqual([]);
  });

  test("reads what git leaves of a merge with a base, and refuses to guess at anything else", async () => {
    await lock();
    const before = readFileSync(join(root, "harn.lock"), "utf8");
    const at = (version: string) => before.replaceAll("2.1.0", version);
    write(
      "harn.lock",
      `<<<<<<< ours\n${at("2.2.0")}||||||| base\n${at("2.0.0")}=======\n${at("2.3.0")}>>>>>>> theirs\n`,
    );
    const { downgrades, problems } = await makeLock({ cwd: root, managed: [] });
    expect(problems).toEqual([]);
    expect(downgrades).toEqual([{ name: "@acme/pack", version: "2.1.0", highest: "2.3.0" }]);
    write("harn.lock", `<<<<<<< ours\n${before}=======\nnonsense\n>>>>>>> theirs\n`);
    const {
      problems: [problem],
    } = await makeLock({ cwd: root, managed: [] });
    expect(problem?.message).toContain("cannot be repaired");
  });

  test("a version below the highest needs a reason, also where somebody wrote the lock by hand", async () => {
    await lock();
    const path = join(root, "harn.lock");
    writeFileSync(path, readFileSync(path, "utf8").replace('highest = "2.1.0"', 'highest = "2.2.0"'));
    expect(await load()).toContain("@acme/pack 2.1.0 is below 2.2.0");
  });

  test("what was in use on this machine counts too, when the lock is gone", async () => {
    const { downgrades } = await makeLock({ cwd: root, managed: [] }, { seen: [{ name: "guards", version: "1.2.0" }] });
    expect(downgrades).toEqual([{ name: "guards", version: "1.0.0", highest: "1.2.0" }]);
  });

  test("two versions of a dependency side by side are no downgrade", async () => {
    write(
      "node_modules/@acme/pack/node_modules/deep/package.json",
      '{"name":"deep","version":"2.0.0","exports":"./i.js"}',
    );
    write("node_modules/@acme/pack/node_modules/deep/i.js", "");
    write(
      "node_modules/guards/package.json",
      `${FILES["node_modules/guards/package.json"]?.slice(0, -1)},"dependencies":{"deep":"1"}}`,
    );
    const { packages, text } = await lock();
    expect(packages.filter(({ name }) => name === "deep").map(({ version, highest }) => [version, highest])).toEqual([
      ["1.0.0", "1.0.0"],
      ["2.0.0", "2.0.0"],
    ]);
    const again = await lock();
    expect(again.downgrades).toEqual([]);
    expect(again.text).toBe(text);
    expect(await load({ frozen: true })).toBe("");
  });

  test("holds what the project's own modules import by name", async () => {
    write("own.mjs", `import "deep";\n${GUARD}`);
    write("harn.toml", '[exports]\nown = "own.mjs"\n\n[[hooks]]\nevent = "Stop"\nhandler = "own::guard"\n');
    const { packages } = await lock();
    expect(packages.map(({ name, kind }) => [name, kind])).toEqual([["deep", "dependency"]]);
    write("node_modules/deep/index.js", "export default 2;\n");
    expect(await load()).toContain("deep 1.0.0 is not what was locked: index.js changed");
  });
});
