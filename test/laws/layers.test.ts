import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Loaded, loadHarness } from "@hooks/manifest";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root as repository } from "../house/repository.js";

// Packs and projects are made at random. Whatever a project does, nothing its packs block must come out of the chain.

const root = realpathSync(mkdtempSync(join(tmpdir(), "harn-layers-")));
afterAll(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const PACK = "node_modules/@acme/pack";
const HOOKS = ["deny", "ask", "turn"];
const RULES = `import { ask as question } from "@hooks/core";
const askFor = question("sure?");
const words = (payload) => String(payload.tool.args.command).split(" ");
const hits = (payload, { options }) => words(payload).some((word) => (options.words ?? options.of).includes(word));
export const deny = (payload, context) => (hits(payload, context) ? { block: true, reason: "no" } : undefined);
export const ask = (payload, context) => (hits(payload, context) ? askFor : undefined);
export const turn = (payload, context) => (hits(payload, context) ? { args: { command: context.options.to } } : undefined);
`;
const OWN = `export const rewrite = (_, { options }) => ({ args: { command: options.to } });
export const once = ({ tool }, { options }) => (tool.args.command === options.from ? { args: { command: options.to } } : undefined);
export const allow = () => true;
export const block = () => ({ block: true, reason: "mine" });
export const fail = () => { throw new Error("as planned"); };
export const late = async (_, { options }) => ({ args: { command: options.to } });
`;

beforeAll(() => {
  const hook = { events: ["PreToolUse"], options: "./options.json" };
  write(".git/HEAD", "");
  write(
    `${PACK}/package.json`,
    JSON.stringify({
      name: "@acme/pack",
      version: "1.0.0",
      type: "module",
      exports: "./rules.js",
      harn: { api: 1, hooks: Object.fromEntries(HOOKS.map((name) => [name, hook])) },
    }),
  );
  write(`${PACK}/rules.js`, RULES);
  // The library its rules import, as it would be installed beside it.
  mkdirSync(join(root, "node_modules/@hooks"), { recursive: true });
  symlinkSync(join(repository, "packages/core"), join(root, "node_modules/@hooks/core"));
  write(
    `${PACK}/options.json`,
    JSON.stringify({
      type: "object",
      properties: {
        words: { type: "array", items: { type: "string" }, tunable: "add" },
        of: { type: "array", items: { type: "string" } },
        to: { type: "string" },
      },
    }),
  );
  write("own.mjs", OWN);
});

const WORDS = ["a", "b", "c", "d"];
const COMMANDS = [...WORDS, ...WORDS.flatMap((one) => WORDS.map((other) => `${one} ${other}`))];
const word = fc.constantFrom(...WORDS);
const command = fc.constantFrom(...COMMANDS);
const priority = fc.integer({ min: -3, max: 6 });
const pattern = fc.constantFrom("", "*", "Bash", "B*", "tool.args.command =~ '[ab]'".replaceAll("'", '"'));

interface PackHook {
  readonly kind: string;
  readonly words: readonly string[];
  readonly to: string;
  readonly priority: number;
  readonly pattern: string;
}

const packHook: fc.Arbitrary<PackHook> = fc.record({
  kind: fc.constantFrom("deny", "deny", "deny", "ask", "turn"),
  words: fc.uniqueArray(word, { minLength: 1, maxLength: 2 }),
  to: command,
  priority: fc.integer({ min: 0, max: 3 }),
  pattern: fc.constantFrom("", "Bash", "B*"),
});

const text = (value: unknown) => JSON.stringify(value);

function packText(hooks: readonly PackHook[]): string {
  return hooks
    .map(({ kind, words, to, priority, pattern }, index) => {
      const options = kind === "turn" ? `of = ${text(words)}, to = ${text(to)}` : `words = ${text(words)}`;
      return `[[hooks]]\nid = "h${index}"\nevent = "PreToolUse"\npattern = ${text(pattern)}\npriority = ${priority}\nhandler = "@acme/pack::${kind}"\noptions = { ${options} }\n`;
    })
    .join("\n");
}

const ownHook = fc.record({
  handler: fc.constantFrom("rewrite", "rewrite", "once", "once", "late", "allow", "block", "fail"),
  from: command,
  to: command,
  priority,
  pattern,
  on_error: fc.constantFrom("", "", "allow", "raise"),
  when: fc.constantFrom("", "", 'payload["tool"]["args"]["command"] != "a"'),
  id: fc.constantFrom("", "", "", "", "h0", "command-guard"),
});

const project = fc.record({
  hooks: fc.array(ownHook, { maxLength: 5 }),
  tighten: fc.array(fc.record({ index: fc.nat(2), words: fc.array(word, { maxLength: 2 }) }), { maxLength: 1 }),
  // What no project may do now and then, which must not load.
  more: fc.constantFrom(
    ...Array<string>(12).fill(""),
    '[[waivers]]\nid = "X"\nhook = "@acme/pack/h0"\nreason = "r"\napprover = "a"\nexpires = "2099-01-01"\n',
    '[[tighten]]\nhook = "@acme/pack/h0"\noptions = { to = "a" }\n',
    '[[hooks]]\nid = "@acme/pack/h0"\nevent = "PreToolUse"\nhandler = "own::allow"\n',
  ),
});
type Project = typeof project extends fc.Arbitrary<infer P> ? P : never;

function projectText({ hooks, tighten, more }: Project, isExtended: boolean): string {
  const entries = hooks.map(({ handler, from, to, priority, pattern, on_error, when, id }, index) => {
    const optional = { on_error, when, ...(id === "" ? {} : { id: index === 0 ? id : `${id}-${index}` }) };
    const lines = Object.entries(optional).flatMap(([key, value]) => (value === "" ? [] : [`${key} = ${text(value)}`]));
    return `[[hooks]]\nevent = "PreToolUse"\nhandler = "own::${handler}"\npattern = ${text(pattern)}\npriority = ${priority}\n${lines.join("\n")}\noptions = { from = ${text(from)}, to = ${text(to)} }\n`;
  });
  const stricter = tighten.map(
    ({ index, words }) => `[[tighten]]\nhook = "@acme/pack/h${index}"\noptions = { words = ${text(words)} }\n`,
  );
  return [
    isExtended ? 'extends = ["@acme/pack"]' : "",
    '[exports]\nown = "own.mjs"\n',
    ...entries,
    ...stricter,
    more,
  ].join("\n");
}

async function load(isManaged: boolean): Promise<Loaded> {
  const managed = isManaged ? [join(root, "managed/harn.toml")] : [];
  return loadHarness({ cwd: root, managed, harness: { ports: { warn: () => {} } } });
}

/** What comes of a command: null when it is blocked, or when nobody gets an outcome. */
async function run({ harness }: Loaded, given: string): Promise<{ command: string; verdict: string } | null> {
  try {
    const outcome = await harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: given } } });
    const { command } = (outcome.payload as unknown as { tool: { args: { command: string } } }).tool.args;
    return outcome.verdict === "block" ? null : { command, verdict: outcome.verdict };
  } catch {
    return null;
  }
}

const hitBy = (hooks: readonly PackHook[], kind: string, command: string) =>
  hooks.some((hook) => hook.kind === kind && command.split(" ").some((one) => hook.words.includes(one)));

let loads = 0;
let rewrites = 0;

test("no project makes what a pack blocks run, nor what it asks about run unasked", { timeout: 300_000 }, async () => {
  const law = fc.asyncProperty(
    fc.array(packHook, { minLength: 1, maxLength: 4 }),
    project,
    fc.boolean(),
    async (hooks, theirs, isManaged) => {
      write(`${PACK}/harn.toml`, packText(hooks));
      write("managed/harn.toml", isManaged ? 'extends = ["@acme/pack"]\n' : "");
      write("harn.toml", projectText({ hooks: [], tighten: [], more: "" }, !isManaged));
      const alone = await load(isManaged);
      expect(alone.ok, alone.ok ? "" : alone.message).toBe(true);
      for (const one of COMMANDS) {
        const found = await run(alone, one);
        // A pack that rewrites into what it denies itself, or asks about, contradicts itself without any project.
        fc.pre(found === null || !hitBy(hooks, "deny", found.command));
        fc.pre(found === null || found.verdict === "ask" || !hitBy(hooks, "ask", found.command));
      }
      write("harn.toml", projectText(theirs, !isManaged));
      const loaded = await load(isManaged);
      if (loaded.ok) loads++;
      for (const one of COMMANDS) {
        const found = await run(loaded, one);
        if (!loaded.ok) expect(found).toBe(null);
        if (found === null) continue;
        if (found.command !== one) rewrites++;
        expect(hitBy(hooks, "deny", found.command), `${one} came out as ${found.command}`).toBe(false);
        if (hitBy(hooks, "ask", found.command)) expect(found.verdict).toBe("ask");
      }
    },
  );
  await fc.assert(law, { numRuns: 120 });
  // The law says nothing about projects that never load, nor about those that never rewrite.
  expect(loads).toBeGreaterThan(50);
  expect(rewrites).toBeGreaterThan(50);
});
