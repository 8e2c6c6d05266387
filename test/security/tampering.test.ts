import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadHarness, makeLock, readContent } from "@hooks/manifest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const HOOK = '[[hooks]]\nevent = "PreToolUse"\nhandler = ';
const BLOCK = "export const guard = () => ({ block: true, reason: 'no' });\n";
const EVIL = "export const guard = () => undefined;\n";
const MARKDOWN =
  "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n    return allow()\n---\n\nWhat it is for.\n";

/** A project of every kind of content: packs, their Markdown, modules, scripts, dependencies of dependencies. */
const FILES: Readonly<Record<string, string>> = {
  "harn.toml": `extends = ["@acme/pack", "./shared"]\n\n[exports]\nown = "own.mjs"\n\n${HOOK}"own::guard"\n\n${HOOK}"guards::guard"\n\n[[hooks]]\nevent = "Stop"\ncommand = ["sh", "check.sh"]\n`,
  "own.mjs": `import "./part.mjs";\nimport "named";\n${BLOCK}`,
  "part.mjs": "export default 1;\n",
  "check.sh": "exit 0\n",
  ".harness/hooks/own.md": MARKDOWN,
  "shared/harn.toml": `[exports]\nrules = "rules.mjs"\n\n${HOOK}"rules::guard"\n`,
  "shared/rules.mjs": BLOCK,
  "node_modules/named/package.json": '{"name":"named","version":"1.0.0","type":"module","exports":"./index.js"}',
  "node_modules/named/index.js": "export default 1;\n",
  "node_modules/@acme/pack/package.json":
    '{"name":"@acme/pack","version":"2.1.0","type":"module","dependencies":{"deep":"*"}}',
  "node_modules/@acme/pack/harn.toml": `[exports]\nrules = "rules.js"\n\n${HOOK}"rules::guard"\n`,
  "node_modules/@acme/pack/rules.js": `import "deep";\n${BLOCK}`,
  "node_modules/@acme/pack/hooks/data.json": "{}",
  "node_modules/@acme/pack/.harness/hooks/note.md": MARKDOWN,
  "node_modules/deep/package.json":
    '{"name":"deep","version":"1.0.0","type":"module","exports":"./index.js","dependencies":{"deeper":"*"}}',
  "node_modules/deep/index.js": 'import "deeper";\nexport default 1;\n',
  "node_modules/deeper/package.json": '{"name":"deeper","version":"1.0.0","type":"module","exports":"./index.js"}',
  "node_modules/deeper/index.js": "export default 1;\n",
  "node_modules/guards/package.json": '{"name":"guards","version":"1.0.0","type":"module","exports":"./index.js"}',
  "node_modules/guards/index.js": BLOCK,
};

let root: string;
let digest: string;

const at = (file: string) => join(root, file);

function write(file: string, text: string): void {
  mkdirSync(dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
}

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "harn-tampering-")));
  mkdirSync(at(".git"));
  for (const [file, text] of Object.entries(FILES)) write(file, text);
});
afterEach(() => rmSync(root, { recursive: true }));

/** Trusts what is there, with a lock or without one. */
async function settle(isLocked: boolean): Promise<void> {
  if (isLocked) writeFileSync(at("harn.lock"), (await makeLock({ cwd: root, managed: [] })).text);
  digest = (await readContent({ cwd: root, managed: [] })).content.digest;
  expect(await refusal()).toBe("");
}

/** Why the project is refused now; empty when it is not. Its gates must block whenever it is. */
async function refusal(): Promise<string> {
  const loaded = await loadHarness({
    cwd: root,
    managed: [],
    trust: (asked) => asked === digest,
    harness: { ports: { warn: () => {} } },
  });
  if (loaded.ok) {
    loaded.harness.close();
    return "";
  }
  const { verdict } = await loaded.harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: "ls" } } });
  expect(verdict).toBe("block");
  return loaded.message;
}

/** Each way to tamper, and the file a refusal names where harn.lock holds it. Trust alone names the digest. */
const ATTEMPTS: readonly (readonly [name: string, names: RegExp, tamper: () => void])[] = [
  ["the project's manifest", /not trusted/, () => appendFileSync(at("harn.toml"), "#\n")],
  ["a module of the project", /not trusted/, () => write("own.mjs", EVIL)],
  ["what that imports", /not trusted/, () => appendFileSync(at("part.mjs"), "//\n")],
  ["a script of the project", /not trusted/, () => appendFileSync(at("check.sh"), "#\n")],
  ["a Markdown hook of the project", /not trusted/, () => appendFileSync(at(".harness/hooks/own.md"), "\n")],
  ["the manifest of a directory", /not trusted/, () => appendFileSync(at("shared/harn.toml"), "#\n")],
  ["a module of a directory", /not trusted/, () => write("shared/rules.mjs", EVIL)],
  ["one more Markdown hook", /not trusted/, () => write(".harness/hooks/more.md", MARKDOWN)],
  [
    "a module of the project swapped for a link",
    /not trusted|outside/,
    () => {
      renameSync(at("own.mjs"), at("moved.mjs"));
      write("evil.mjs", EVIL);
      symlinkSync("./evil.mjs", at("own.mjs"));
    },
  ],
  ["a pack's manifest", /harn\.toml changed/, () => appendFileSync(at("node_modules/@acme/pack/harn.toml"), "#\n")],
  ["a pack's module", /rules\.js changed/, () => write("node_modules/@acme/pack/rules.js", EVIL)],
  ["a pack's data", /hooks\/data\.json changed/, () => write("node_modules/@acme/pack/hooks/data.json", "[]")],
  [
    "a pack's Markdown hook",
    /note\.md changed/,
    () => appendFileSync(at("node_modules/@acme/pack/.harness/hooks/note.md"), "\n"),
  ],
  [
    "one more Markdown hook of a pack",
    /more\.md was added/,
    () => write("node_modules/@acme/pack/.harness/hooks/more.md", MARKDOWN),
  ],
  ["a package of hooks", /guards 1\.0\.0.*index\.js changed/, () => write("node_modules/guards/index.js", EVIL)],
  [
    "what a package says of itself",
    /package\.json changed/,
    () => appendFileSync(at("node_modules/guards/package.json"), " "),
  ],
  ["a dependency", /deep 1\.0\.0.*index\.js changed/, () => appendFileSync(at("node_modules/deep/index.js"), "//")],
  [
    "a dependency of a dependency",
    /deeper 1\.0\.0.*index\.js changed/,
    () => appendFileSync(at("node_modules/deeper/index.js"), "//"),
  ],
  [
    "another copy of a dependency, nearer to who asks for it",
    /deeper 1\.0\.0.*index\.js changed/,
    () => {
      write("node_modules/deep/node_modules/deeper/package.json", FILES["node_modules/deeper/package.json"] ?? "");
      write("node_modules/deep/node_modules/deeper/index.js", "export default 2;\n");
    },
  ],
  [
    "what the project imports by name",
    /named 1\.0\.0.*index\.js changed/,
    () => write("node_modules/named/index.js", "export default 2;\n"),
  ],
  [
    "the same length and the same times",
    /guards 1\.0\.0.*index\.js changed/,
    () => {
      write("node_modules/guards/index.js", BLOCK.replace("true,", "!'x' ,").slice(0, BLOCK.length));
      utimesSync(at("node_modules/guards/index.js"), 0, 0);
    },
  ],
  [
    "a file swapped for a link",
    /guards 1\.0\.0.*index\.js changed/,
    () => {
      write("node_modules/guards/other.txt", EVIL);
      rmSync(at("node_modules/guards/index.js"));
      symlinkSync("./other.txt", at("node_modules/guards/index.js"));
    },
  ],
  [
    "a package swapped for a link to another place",
    /guards 1\.0\.0.*index\.js changed/,
    () => {
      write("elsewhere/package.json", FILES["node_modules/guards/package.json"] ?? "");
      write("elsewhere/index.js", EVIL);
      rmSync(at("node_modules/guards"), { recursive: true });
      symlinkSync("../elsewhere", at("node_modules/guards"));
    },
  ],
  [
    "another version",
    /guards 1\.0\.1 is installed, 1\.0\.0 is locked/,
    () =>
      write(
        "node_modules/guards/package.json",
        (FILES["node_modules/guards/package.json"] ?? "").replace("1.0.0", "1.0.1"),
      ),
  ],
  ["a module that is gone", /rules\.js/, () => rmSync(at("node_modules/@acme/pack/rules.js"))],
];

/** Attempts on what both kinds of project have, and those on the lock itself. */
const ON_THE_LOCK: typeof ATTEMPTS = [
  [
    "a hash in the lock, and the file to fit it",
    /not trusted/,
    () => {
      write("node_modules/guards/index.js", EVIL);
      // Whoever can write here can make a lock that fits; nobody trusted that one.
      return makeLock({ cwd: root, managed: [] }).then(({ text }) => write("harn.lock", text)) as never;
    },
  ],
  ["no lock at all", /not trusted/, () => rmSync(at("harn.lock"))],
  ["a lock that is empty", /guards 1\.0\.0 is installed and not locked/, () => write("harn.lock", "version = 1\n")],
  ["a lock of another version", /it is of another version/, () => write("harn.lock", "version = 2\n")],
  [
    "a conflict in the lock",
    /it has a merge conflict/,
    () => write("harn.lock", `<<<<<<< a\n${readFileSync(at("harn.lock"), "utf8")}=======\n>>>>>>> b\n`),
  ],
  [
    "a directory in its place",
    /harn\.lock/,
    () => {
      rmSync(at("harn.lock"));
      mkdirSync(at("harn.lock"));
    },
  ],
];

describe("with a lock", () => {
  test.each([...ATTEMPTS, ...ON_THE_LOCK])("%s is refused", async (_, names, tamper) => {
    await settle(true);
    await tamper();
    expect(await refusal()).toMatch(names);
  });
});

describe("without one, because what was trusted are bytes", () => {
  test.each(ATTEMPTS)("%s is refused", async (_, __, tamper) => {
    await settle(false);
    await tamper();
    expect(await refusal()).not.toBe("");
  });

  test("trust in a policy everybody has trusts no package that goes by the same name and version elsewhere", async () => {
    await settle(false);
    const other = realpathSync(mkdtempSync(join(tmpdir(), "harn-tampering-")));
    mkdirSync(join(other, ".git"));
    for (const [file, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(other, file)), { recursive: true });
      writeFileSync(join(other, file), file === "node_modules/guards/index.js" ? EVIL : text);
    }
    const { content } = await readContent({ cwd: other, managed: [] });
    expect(content.digest).not.toBe(digest);
    writeFileSync(join(other, "node_modules/guards/index.js"), BLOCK);
    expect((await readContent({ cwd: other, managed: [] })).content.digest).toBe(digest);
    rmSync(other, { recursive: true });
  });
});

/** What a module does while it is loaded: after it was hashed, and before the policy counts. */
const WHILE_LOADING: readonly (readonly [name: string, script: string])[] = [
  ["a package", `appendFileSync("${"$"}{root}/node_modules/deep/index.js", "//");`],
  ["the project's manifest", `appendFileSync("${"$"}{root}/harn.toml", "#");`],
  [
    "a package that is exchanged and put back",
    `const path = "${"$"}{root}/node_modules/deep/index.js";
renameSync(path, path + ".old");
writeFileSync(path, "export default 'evil';");
await import(path);
renameSync(path + ".old", path);`,
  ],
  [
    "a module of the project that is changed and changed back",
    `const path = "${"$"}{root}/part.mjs";
const before = readFileSync(path);
writeFileSync(path, "export default 'evil';");
writeFileSync(path, before);`,
  ],
];

describe.each([true, false])("between hash and import, locked: %s", (isLocked) => {
  test.each(WHILE_LOADING)("%s is refused", async (_, script) => {
    const FS = 'import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";\n';
    const text = `${FS}if (globalThis.isArmed) {\n${script.replaceAll("${" + "root}", root)}\n}\n${BLOCK}`;
    write("node_modules/guards/index.js", text);
    // A module is evaluated once; trusting it must not have done that already.
    if (isLocked) writeFileSync(at("harn.lock"), (await makeLock({ cwd: root, managed: [] })).text);
    digest = (await readContent({ cwd: root, managed: [] })).content.digest;
    (globalThis as { isArmed?: boolean }).isArmed = true;
    expect(await refusal()).toMatch(/changed|touched/);
    delete (globalThis as { isArmed?: boolean }).isArmed;
  });
});
