import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHarness, loadStack, readContent, TrustStore } from "@hooks/manifest";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../packages/cli/src/main.js";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-untrusted-")));
const marker = join(scratch, "ran");
afterAll(() => rmSync(scratch, { recursive: true }));

const TOUCH = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(marker)}, "1");\n`;
const COMMON = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "1");\n`;
const GUARD = "export const guard = () => undefined;\n";
const HOOK = '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::guard"\n';

/** Projects whose code leaves a mark as soon as it runs, in every way a project can bring code. */
const PROJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  module: { "harn.toml": `[exports]\npolicy = "a.mjs"\n${HOOK}`, "a.mjs": TOUCH + GUARD },
  typescript: { "harn.toml": `[exports]\npolicy = "a.ts"\n${HOOK}`, "a.ts": TOUCH + GUARD },
  commonjs: { "harn.toml": `[exports]\npolicy = "a.cjs"\n${HOOK}`, "a.cjs": `${COMMON}exports.guard = () => {};\n` },
  imported: {
    "harn.toml": `[exports]\npolicy = "a.mjs"\n${HOOK}`,
    "a.mjs": `import "./b.mjs";\n${GUARD}`,
    "b.mjs": TOUCH,
  },
  worker: {
    "harn.toml": `[policy]\nisolation = "worker"\n[exports]\npolicy = "a.mjs"\n${HOOK}`,
    "a.mjs": TOUCH + GUARD,
  },
  broken: { "harn.toml": `nonsense = 1\n[exports]\npolicy = "a.mjs"\n${HOOK}`, "a.mjs": TOUCH + GUARD },
  "missing export": {
    "harn.toml": `[exports]\npolicy = "a.mjs"\n${HOOK}`,
    "a.mjs": `${TOUCH}export const other = 1;\n`,
  },
  package: {
    "harn.toml": '[[hooks]]\nevent = "PreToolUse"\nhandler = "bad::guard"\n',
    "node_modules/bad/package.json": '{"name":"bad","version":"1.0.0","type":"module","exports":"./a.js"}',
    "node_modules/bad/a.js": TOUCH + GUARD,
  },
  pack: {
    "harn.toml": 'extends = ["bad"]\n',
    "node_modules/bad/package.json": '{"name":"bad","version":"1.0.0","type":"module"}',
    "node_modules/bad/harn.toml": `[exports]\npolicy = "a.js"\n${HOOK}`,
    "node_modules/bad/a.js": TOUCH + GUARD,
  },
  command: {
    "harn.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = ["sh", "-c", "touch ${marker}"]\n`,
  },
};
// Every kind ten times over, each a project of its own: names, events and places differ.
const EVENTS = ["PreToolUse", "PostToolUse", "Stop", "SessionStart", "UserPromptSubmit"];
const cases = Object.entries(PROJECTS).flatMap(([kind, files]) =>
  Array.from({ length: 10 }, (_, index) => [`${kind} ${index}`, files, EVENTS[index % EVENTS.length] ?? ""] as const),
);
const VERBS = [
  ["list", "--json"],
  ["validate", "--json"],
  ["doctor", "--json"],
  ["explain", "--tool", "Bash", "--arg", "command=ls", "--json"],
  ["inspect", "bad", "--json"],
  ["lock", "--check", "--json"],
  ["lock", "--dry-run"],
  ["trust", "--status", "--json"],
];

function write(name: string, files: Readonly<Record<string, string>>, event = "PreToolUse"): string {
  const home = join(scratch, name.replaceAll(" ", "-"));
  mkdirSync(join(home, ".git"), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(home, file, ".."), { recursive: true });
    writeFileSync(join(home, file), text.replace('event = "PreToolUse"', `event = "${event}"`));
  }
  return home;
}

const env = { PATH: process.env.PATH, HOME: join(scratch, "home"), XDG_STATE_HOME: join(scratch, "state") };

async function harn(cwd: string, args: readonly string[], more: object = {}): Promise<number> {
  const silent = { write: () => true };
  const host = {
    cwd,
    env: { ...env, ...more },
    out: silent,
    err: silent,
    isInteractive: false,
    stdin: async function* () {},
  };
  return main([...args], host as never);
}

describe("nothing of an untrusted project runs", () => {
  test.each(cases)("%s, whoever looks at it", async (name, files, event) => {
    const home = write(name, files, event);
    for (const verb of VERBS) await harn(home, verb);
    await loadStack({ cwd: home, inspect: true });
    await readContent({ cwd: home });
    const { ok } = await loadHarness({ cwd: home, trust: () => false });
    expect(ok).toBe(false);
    expect(existsSync(marker)).toBe(false);
  });

  test.each(Object.entries(PROJECTS))(
    "%s is refused where it would run, with the way to trust it",
    async (name, files) => {
      const home = write(`run ${name}`, files);
      const loaded = await loadHarness({ cwd: home, trust: () => false, harness: { ports: { warn: () => {} } } });
      const outcome = await loaded.harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: "ls" } } });
      expect(outcome.verdict).toBe("block");
      if (name !== "broken" && name !== "missing export")
        expect(outcome.reason).toMatch(/not trusted.*harn trust.*HARN_TRUST=[0-9a-f]{64}/);
      expect(existsSync(marker)).toBe(false);
    },
  );
});

describe("trust", () => {
  test("belongs to the content: any change of it ends it, and the same content has it again", async () => {
    const home = write("content", PROJECTS.imported ?? {});
    const store = new TrustStore(join(scratch, "store"));
    const digestNow = async () => (await readContent({ cwd: home })).content.digest;
    const { content } = await readContent({ cwd: home });
    store.add(content, home, new Date(0));
    expect(store.has(await digestNow())).toBe(true);
    for (const file of ["harn.toml", "a.mjs", "b.mjs"]) {
      const before = PROJECTS.imported?.[file] ?? "";
      writeFileSync(join(home, file), `${before}${file.endsWith("toml") ? "#" : "//"}\n`);
      expect(store.has(await digestNow()), file).toBe(false);
      writeFileSync(join(home, file), before);
      expect(store.has(await digestNow()), file).toBe(true);
    }
    writeFileSync(join(home, "harn.lock"), "version = 1\n");
    expect(store.has(await digestNow())).toBe(false);
  });

  test("is asked of a host that embeds a harness only when it wants to", async () => {
    const home = write("embedded", { "harn.toml": `[exports]\npolicy = "a.mjs"\n${HOOK}`, "a.mjs": GUARD });
    expect((await loadHarness({ cwd: home })).ok).toBe(true);
    const { content } = await readContent({ cwd: home });
    expect((await loadHarness({ cwd: home, trust: (digest) => digest === content.digest })).ok).toBe(true);
  });

  test("is said by HARN_TRUST for one process, of one content", async () => {
    const home = write("digest", { "harn.toml": `[exports]\npolicy = "a.mjs"\n${HOOK}`, "a.mjs": GUARD });
    const { content } = await readContent({ cwd: home });
    expect(await harn(home, ["run"])).toBe(77);
    expect(await harn(home, ["run"], { HARN_TRUST: content.digest })).toBe(0);
    writeFileSync(join(home, "a.mjs"), `${GUARD}//`);
    expect(await harn(home, ["run"], { HARN_TRUST: content.digest })).toBe(77);
  });

  test("a policy that changes itself while it loads is refused", async () => {
    const self = "import { appendFileSync } from 'node:fs';\nappendFileSync(new URL(import.meta.url), '//');\n";
    const home = write("changing", { "harn.toml": `[exports]\npolicy = "a.mjs"\n${HOOK}`, "a.mjs": self + GUARD });
    const loaded = await loadHarness({ cwd: home, trust: () => true });
    expect(loaded.ok ? "" : loaded.message).toContain("changed while it was loaded");
  });
});
