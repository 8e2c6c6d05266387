import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { block, markdown, type Warning } from "@hooks/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Loaded, type LoadOptions, loadHarness, type ManifestHarness } from "./harness.js";

const bash = { tool: { name: "Bash", args: { command: "ls" } } };

let root: string;
const opened: ManifestHarness[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "harn-harness-")));
});
afterEach(() => {
  for (const harness of opened.splice(0)) harness.close();
  rmSync(root, { recursive: true });
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

async function open(options: LoadOptions = {}): Promise<ManifestHarness> {
  const loaded = await loadHarness({ cwd: root, ...options });
  if (!loaded.ok) throw new Error(loaded.message);
  opened.push(loaded.harness);
  return loaded.harness;
}

async function refused(options: LoadOptions = {}): Promise<Loaded & { ok: false }> {
  const loaded = await loadHarness({ cwd: root, ...options });
  if (loaded.ok) throw new Error("loaded");
  return loaded;
}

const hookOf = (handler: string, more = "") => `[[hooks]]\nevent = "PreToolUse"\nhandler = "${handler}"\n${more}\n`;
const manifestOf = (file: string, ...handlers: string[]) =>
  `[exports]\npolicy = "${file}"\n${handlers.map((name) => hookOf(`policy::${name}`)).join("")}`;

// Where a test edits a module it is TypeScript: the runner of these tests remembers what it imports itself.
const blocks = (reason: string) => `export const check = () => ({ block: true, reason: ${JSON.stringify(reason)} });\n`;

async function reasonOf(harness: ManifestHarness): Promise<string | undefined> {
  return (await harness.fire("PreToolUse", bash)).reason;
}

describe("reload", () => {
  // In a process of its own, from the built package: the test runner has its own way to import modules.
  test("evaluates modules and what they import again, every time", () => {
    const type = "module";
    const module = (reason: string) => `export const check = () => ({ block: true, reason: "${reason}" });`;
    const typed = (reason: string) => `type Text = string;\nconst reason: Text = "${reason}";\n${module(reason)}`;
    const common = (reason: string) => `exports.check = () => ({ block: true, reason: "${reason}" });`;
    const importing = (path: string) =>
      `import { reason } from "${path}";\nexport const check = () => ({ block: true, reason });`;
    const reasonOf = (reason: string) => `export const reason = "${reason}";`;
    const cases: Record<string, (reason: string) => Record<string, string>> = {
      "policy.js": (reason) => ({ "package.json": JSON.stringify({ type }), "policy.js": module(reason) }),
      "policy.mjs": (reason) => ({ "policy.mjs": module(reason) }),
      "policy.cjs": (reason) => ({ "policy.cjs": common(reason) }),
      "policy.ts": (reason) => ({ "policy.ts": typed(reason) }),
      "policy.mts": (reason) => ({ "policy.mts": typed(reason) }),
      "importer.mjs": (reason) => ({
        "importer.mjs": importing("./lib/reason.mjs"),
        "lib/reason.mjs": reasonOf(reason),
      }),
      "importer.ts": (reason) => ({ "importer.ts": importing("./lib/reason.ts"), "lib/reason.ts": reasonOf(reason) }),
      "mixed.ts": (reason) => ({ "mixed.ts": importing("./lib/reason.mjs"), "lib/reason.mjs": reasonOf(reason) }),
      guard: (reason) => ({
        "node_modules/guard/package.json": JSON.stringify({ name: "guard", version: "1.0.0", type, main: "index.js" }),
        "node_modules/guard/index.js": module(reason),
      }),
    };
    const steps = Object.entries(cases).map(([file, filesOf]) => ({
      file,
      manifest: file === "guard" ? hookOf("guard::check") : manifestOf(file, "check"),
      versions: ["1", "2", "3"].map(filesOf),
    }));
    const script = `
      import { mkdirSync, writeFileSync } from "node:fs";
      import { dirname, join } from "node:path";
      import { loadHarness } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
      const seen = {};
      for (const { file, manifest, versions } of ${JSON.stringify(steps)}) {
        const cwd = join(${JSON.stringify(root)}, file.replace(".", "-"));
        let harness;
        seen[file] = [];
        for (const files of versions) {
          for (const [path, text] of Object.entries({ ...files, "harn.toml": manifest })) {
            mkdirSync(dirname(join(cwd, path)), { recursive: true });
            writeFileSync(join(cwd, path), text);
          }
          if (harness === undefined) ({ harness } = await loadHarness({ cwd }));
          else await harness.reload();
          const { reason } = await harness.fire("PreToolUse", ${JSON.stringify(bash)});
          seen[file].push(reason);
        }
      }
      console.log(JSON.stringify(seen));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const expected = Object.fromEntries(Object.keys(cases).map((file) => [file, ["1", "2", "3"]]));
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test("a dispatch in flight keeps the chain it started with; the next one has the new one", async () => {
    const gate: { open?: () => void } = {};
    vi.stubGlobal("harnTestGate", new Promise<void>((resolve) => (gate.open = resolve)));
    write({
      "harn.toml": manifestOf("policy.ts", "waits", "check"),
      "policy.ts": `export const waits = async () => { await globalThis.harnTestGate; };\n${blocks("old")}`,
    });
    const harness = await open();
    const inFlight = harness.fire("PreToolUse", bash);
    write({ "harn.toml": manifestOf("policy.ts", "check"), "policy.ts": blocks("new") });
    await harness.reload();
    const next = await harness.fire("PreToolUse", bash);
    gate.open?.();
    const old = await inFlight;
    expect([old.reason, old.trace.map(({ hook }) => hook)]).toEqual(["old", ["policy::waits", "policy::check"]]);
    expect([next.reason, next.trace.map(({ hook }) => hook)]).toEqual(["new", ["policy::check"]]);
    vi.unstubAllGlobals();
  });

  test("a dispatch while a reload is under way sees all of the old stack", async () => {
    write({ "harn.toml": manifestOf("policy.ts", "check"), "policy.ts": blocks("old") });
    const harness = await open();
    write({ "policy.ts": blocks("new") });
    const reloading = harness.reload();
    expect(await reasonOf(harness)).toBe("old");
    await reloading;
    expect(await reasonOf(harness)).toBe("new");
  });

  test("of two reloads at once, the one that was asked for last counts", async () => {
    const gate: { open?: () => void } = {};
    const isEvaluated = vi.fn();
    vi.stubGlobal("harnTestGate", new Promise<void>((resolve) => (gate.open = resolve)));
    vi.stubGlobal("harnTestEvaluated", isEvaluated);
    write({ "harn.toml": manifestOf("policy.ts", "check"), "policy.ts": blocks("first") });
    const harness = await open();
    write({ "policy.ts": `globalThis.harnTestEvaluated();\nawait globalThis.harnTestGate;\n${blocks("slow")}` });
    const slow = harness.reload();
    await vi.waitFor(() => expect(isEvaluated).toHaveBeenCalled());
    write({ "policy.ts": blocks("last") });
    const last = harness.reload();
    // The second one may wait for the first, or be done before it.
    await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 200))]);
    gate.open?.();
    await Promise.all([slow, last]);
    expect(await reasonOf(harness)).toBe("last");
    vi.unstubAllGlobals();
  });

  test("a broken manifest keeps the last good stack, says so, and a repaired one loads", async () => {
    const warnings: Warning[] = [];
    write({ "harn.toml": manifestOf("policy.ts", "check"), "policy.ts": blocks("good") });
    const harness = await open({ harness: { ports: { warn: (warning) => warnings.push(warning) } } });
    write({ "harn.toml": manifestOf("policy.ts", "chekc") });

    const broken = await harness.reload();
    expect(broken).toMatchObject({ ok: false, problems: [{ code: "HARN_E_EXPORT_MISSING" }] });
    expect(broken.ok ? "" : broken.message).toContain("--> harn.toml:5:11");
    expect(warnings).toEqual([
      {
        event: "reload",
        hook: join(root, "harn.toml"),
        message: `kept the last good stack\n${broken.ok ? "" : broken.message}`,
      },
    ]);
    expect(await reasonOf(harness)).toBe("good");

    write({ "harn.toml": manifestOf("policy.ts", "check"), "policy.ts": blocks("repaired") });
    expect(await harness.reload()).toEqual({ ok: true, warnings: [] });
    expect(await reasonOf(harness)).toBe("repaired");
    expect(warnings).toHaveLength(1);
  });

  test("without a port of its own, the warning goes where all others go", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    write({ "harn.toml": manifestOf("policy.mjs", "check"), "policy.mjs": blocks("good") });
    const harness = await open();
    write({ "harn.toml": "nonsense" });
    await harness.reload();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("kept the last good stack"));
  });

  test.each([
    ["a module that throws", { "policy.mjs": 'throw new Error("on purpose");' }],
    ["a module with a syntax error", { "policy.mjs": "export const check = (" }],
    ["a module that is gone", { "harn.toml": manifestOf("gone.mjs", "check") }],
    ["bytes that are no text", { "harn.toml": "\ud800" }],
  ])("%s keeps the last good stack", async (_, files) => {
    write({ "harn.toml": manifestOf("policy.mjs", "check"), "policy.mjs": blocks("good") });
    const harness = await open({ harness: { ports: { warn: () => {} } } });
    write(files);
    expect(await harness.reload()).toMatchObject({ ok: false });
    expect(await reasonOf(harness)).toBe("good");
    expect(harness.hooks).toHaveLength(1);
  });

  test("hooks of code stay, behind those of the manifest of the same priority", async () => {
    const order = () => harness.hooks.map(({ ref }) => ref.id);
    const named = (...ids: string[]) =>
      `[exports]\npolicy = "policy.mjs"\n${ids.map((id) => hookOf("policy::quiet", `id = "${id}"\npriority = 5`)).join("")}`;
    write({ "harn.toml": named("one", "two"), "policy.mjs": "export const quiet = () => {};" });
    const harness = await open();
    const add = (id: string, priority: number) =>
      harness.register({ id, event: "PreToolUse", priority, handler: () => undefined });
    add("code", 5);
    const remove = add("early", 4);
    expect(order()).toEqual(["early", "one", "two", "code"]);

    write({ "harn.toml": named("three", "two", "one") });
    await harness.reload();
    expect(order()).toEqual(["early", "three", "two", "one", "code"]);

    add("later", 5);
    remove();
    write({ "harn.toml": named("code") });
    await harness.reload();
    // The manifest's hook has the name it was given only if no other has it.
    expect(order()).toEqual([expect.stringMatching(/^code#\d+$/), "code", "later"]);
  });

  test("hooks that are gone from the manifest are gone from the stack", async () => {
    write({ "harn.toml": manifestOf("policy.mjs", "check"), "policy.mjs": blocks("old") });
    const harness = await open();
    write({ "harn.toml": "" });
    expect(await harness.reload()).toMatchObject({ ok: true });
    expect(harness.hooks).toEqual([]);
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "allow" });
  });

  test("a manifest that was removed is a mistake, and not the end of the policy", async () => {
    write({ "harn.toml": manifestOf("policy.mjs", "check"), "policy.mjs": blocks("good") });
    const harness = await open({ harness: { ports: { warn: () => {} } } });
    rmSync(join(root, "harn.toml"));
    expect(await harness.reload()).toMatchObject({ ok: false, problems: [{ code: "HARN_E_MANIFEST_READ" }] });
    expect(await reasonOf(harness)).toBe("good");
  });

  test("a manifest that appeared later counts, and is as hard to get rid of", async () => {
    mkdirSync(join(root, ".git"));
    const harness = await open({ harness: { ports: { warn: () => {} } } });
    expect(harness.manifest).toBeNull();
    write({ "harn.toml": manifestOf("policy.mjs", "check"), "policy.mjs": blocks("appeared") });
    expect(await harness.reload()).toMatchObject({ ok: true });
    expect(harness.manifest).toBe(join(root, "harn.toml"));
    expect(await reasonOf(harness)).toBe("appeared");
    rmSync(join(root, "harn.toml"));
    expect(await harness.reload()).toMatchObject({ ok: false });
    expect(await reasonOf(harness)).toBe("appeared");
  });

  const awaited = (reason: string) => `await 0;\nexport const reason = ${JSON.stringify(reason)};\n`;
  test.each([
    [
      "imported at the top, and awaits there",
      'import { reason } from "./reason.ts";\nexport const check = () => ({ block: true, reason });',
    ],
    [
      "imported while a handler runs",
      'export const check = async () => ({ block: true, reason: (await import("./reason.ts")).reason });',
    ],
    [
      "imported by two of its modules, one of them between",
      'import { reason } from "./between.ts";\nimport * as same from "./reason.ts";\nexport const check = () => ({ block: true, reason: same.reason === reason ? reason : "two of them" });',
    ],
  ])("a module is read again that is %s", async (_how, policy) => {
    write({
      "harn.toml": manifestOf("policy.ts", "check"),
      "policy.ts": policy,
      "between.ts": 'export { reason } from "./reason.ts";\n',
      "reason.ts": awaited("first"),
    });
    const harness = await open();
    expect(await reasonOf(harness)).toBe("first");
    for (const next of ["second", "third"]) {
      write({ "reason.ts": awaited(next) });
      expect(await harness.reload()).toMatchObject({ ok: true });
      expect(await reasonOf(harness)).toBe(next);
    }
  });

  test("modules of one load share what they import", async () => {
    write({
      "harn.toml": `[exports]\na = "a.ts"\nb = "b.ts"\n${hookOf("a::count")}${hookOf("b::check")}`,
      "state.ts": "export const state = { calls: 0 };\n",
      "a.ts": 'import { state } from "./state.ts";\nexport const count = () => { state.calls++; };\n',
      "b.ts":
        'import { state } from "./state.ts";\nexport const check = () => ({ block: true, reason: String(state.calls) });\n',
    });
    const harness = await open();
    expect(await reasonOf(harness)).toBe("1");
    expect(await harness.reload()).toMatchObject({ ok: true });
    expect(await reasonOf(harness)).toBe("1");
  });

  test("a TypeScript module sees the default and the names of CommonJS, however often it imports it", async () => {
    write({
      "harn.toml": manifestOf("policy.ts", "check"),
      "words.cjs": 'exports.word = "w";\n',
      "policy.ts": `import words, { word } from "./words.cjs";
export const check = async () => {
  const again = await import("./words.cjs");
  return { block: true, reason: words.word + word + again.default.word + again.word };
};`,
    });
    const harness = await open();
    expect(await reasonOf(harness)).toBe("wwww");
    await harness.reload();
    expect(await reasonOf(harness)).toBe("wwww");
  });

  test("a dispatch under way keeps its workers to the end", async () => {
    const inWorker = 'isolation = "worker"';
    write({
      "harn.toml": `[exports]\npolicy = "policy.mjs"\n${hookOf("policy::wait", inWorker)}${hookOf("policy::check", inWorker)}`,
      "policy.mjs": `export const wait = () => new Promise((go) => setTimeout(go, 300));\n${blocks("judged")}`,
    });
    const harness = await open();
    const first = harness.fire("PreToolUse", bash);
    expect(await harness.reload()).toMatchObject({ ok: true });
    expect(await harness.reload()).toMatchObject({ ok: true });
    expect(await first).toMatchObject({ reason: "judged", faults: [] });
    expect(await reasonOf(harness)).toBe("judged");
  });

  test("strictness is part of what is reloaded", async () => {
    write({ "harn.toml": "[policy]\nstrict = false\n" });
    const harness = await open({ harness: { ports: { warn: () => {} } } });
    // A Markdown hook that returns nonsense is passed over, unless the policy is strict.
    const nonsense = { event: "PreToolUse", dialect: markdown, handlerName: "nonsense", handler: () => 5 };
    harness.install([nonsense]);
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "allow" });
    write({ "harn.toml": "[policy]\nstrict = true\n" });
    await harness.reload();
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block" });
  });

  test("looks at the same manifest when the working directory has changed", async () => {
    const before = process.cwd();
    write({
      "a/harn.toml": manifestOf("policy.mjs", "check"),
      "a/policy.mjs": blocks("a"),
      "b/harn.toml": manifestOf("policy.mjs", "check"),
      "b/policy.mjs": blocks("b"),
    });
    try {
      for (const options of [{}, { cwd: "." }, { manifest: "harn.toml" }, { cwd: "../a" }] as const) {
        process.chdir(join(root, "a"));
        const loaded = await loadHarness(options);
        if (!loaded.ok) throw new Error(loaded.message);
        opened.push(loaded.harness);
        process.chdir(join(root, "b"));
        expect(await loaded.harness.reload()).toMatchObject({ ok: true });
        expect(loaded.harness.manifest).toBe(join(root, "a/harn.toml"));
        expect(await reasonOf(loaded.harness)).toBe("a");
      }
    } finally {
      process.chdir(before);
    }
  });
});

describe("modules", () => {
  test.each(["policy.mjs", "policy.ts"])("%s may await at its top", async (file) => {
    write({
      "harn.toml": manifestOf(file, "check"),
      [file]: `await new Promise((go) => setTimeout(go, 5));\n${blocks("waited")}`,
    });
    const harness = await open();
    expect(await reasonOf(harness)).toBe("waited");
    await harness.reload();
    expect(await reasonOf(harness)).toBe("waited");
  });

  test.each(["policy.mjs", "policy.ts"])(
    "%s that never finishes loading is given up, and the gate blocks",
    async (file) => {
      write({ "harn.toml": manifestOf(file, "check"), [file]: `await new Promise(() => {});\n${blocks("never")}` });
      const realTimeout = setTimeout;
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const loading = refused();
      // The deadline is armed after files were read, so the clock is moved on until it has passed.
      let isDone = false;
      void loading.finally(() => (isDone = true)).catch(() => {});
      while (!isDone) {
        vi.advanceTimersByTime(1_000);
        await new Promise((resolve) => realTimeout(resolve, 5));
      }
      const { message, harness } = await loading;
      expect(message).toMatch(/HARN_E_MODULE_LOAD.*not loaded within 10000 ms/);
      expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block" });
    },
  );

  test("an export whose getter throws is a module that failed to load", async () => {
    write({
      "harn.toml": manifestOf("policy.cjs", "check"),
      "policy.cjs": 'module.exports = { get check() { throw new Error("on purpose"); } };',
    });
    expect((await refused()).problems).toMatchObject([{ code: "HARN_E_MODULE_LOAD" }]);
  });

  test("a hook with a warning is still a hook", async () => {
    write({
      "harn.toml": `[exports]\npolicy = "policy.mjs"\n[[hooks]]\nevent = "SessionEnd"\nhandler = "policy::check"\non_error = "block"\n`,
      "policy.mjs": "export const check = () => {};",
    });
    const loaded = await loadHarness({ cwd: root });
    expect(loaded).toMatchObject({ ok: true, warnings: [{ code: "HARN_W_NO_EFFECT" }] });
    expect(loaded.harness.hooks.map(({ event }) => event)).toEqual(["SessionEnd"]);
  });
});

describe("a broken manifest", () => {
  test("blocks every gate, and lets advisory events pass", async () => {
    write({ "harn.toml": "nonsense" });
    const { harness } = await refused();
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block" });
    expect(await harness.fire("UserPromptSubmit", { prompt: "hello" })).toMatchObject({ verdict: "block" });
    expect(await harness.fire("SessionEnd", {})).toMatchObject({ verdict: "allow" });
    const prepared = harness.prepare("PreToolUse", bash);
    expect(await harness.dispatch(prepared)).toMatchObject({ verdict: "block" });
  });

  test("gives an error as its reason, also when a warning comes first", async () => {
    write({
      "harn.toml": `[exports]\npolicy = "policy.mjs"\n[[hooks]]\nevent = "SessionEnd"\nhandler = "policy::check"\non_error = "block"\n${hookOf("policy::missing")}`,
      "policy.mjs": "export const check = () => {};",
    });
    const { harness, problems } = await refused();
    expect(problems.map(({ severity }) => severity)).toEqual(["warning", "error"]);
    expect((await harness.fire("PreToolUse", bash)).reason).toContain(problems[1]?.message);
  });

  test("a hook of code can do no more than add to the block, and is listed", async () => {
    write({ "harn.toml": "nonsense" });
    const { harness } = await refused();
    const handler = vi.fn(() => block("mine"));
    harness.register({ id: "mine", event: "PreToolUse", priority: Number.MIN_SAFE_INTEGER, handler });
    expect((await harness.fire("PreToolUse", bash)).reason).toContain("the policy did not load");
    expect(harness.hooks.map(({ ref }) => ref.id)).toContain("mine");
  });

  test.each([
    ["lists in lists", `x = ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`],
    ["lists in options", hookOf("plain::check", `options = { a = ${"[".repeat(3_000)}${"]".repeat(3_000)} }`)],
    ["tables in tables", `x = ${"{ a = ".repeat(20_000)}1${" }".repeat(20_000)}\n`],
    ["a long header", `[${"a.".repeat(20_000)}b]\n`],
    ["a long dotted key", `${"a.".repeat(20_000)}b = 1\n`],
    ["a package's name no file can have", '[dependencies]\n"a\\u0000b" = "*"\n'],
    ["a package's name longer than any file's", `[dependencies]\n${"a".repeat(300)} = "*"\n`],
    ["a package's name that is a path", '[dependencies]\n"../../.." = "*"\n'],
    ["a handler no file can have", hookOf("plain/\\u0000::check")],
    ["an export of the wrong type under a special key", "[exports]\n__proto__ = 5\n"],
    ["a package without a name that a handler may mean", `[package]\nversion = "1"\n${hookOf("plain::check")}`],
    ["what only one of two parsers takes", "[policy]\nstrict = [1_]\n"],
    ["keys every object has", "[policy]\nconstructor.a = 1\ntoString.b = 2\n"],
  ])("ends as problems with a place: %s", async (_, text) => {
    write({ "harn.toml": text });
    const { problems, message } = await refused();
    expect(problems.every(({ place }) => place.line >= 1 && place.column >= 1)).toBe(true);
    expect(message).toContain("--> harn.toml:");
  });
});
