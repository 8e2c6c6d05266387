import { parseToml } from "@hooks/manifest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addHook, addItem, dropHooks, dropItemOf, dropKey, editToml, setKey } from "./edit.js";

const POLICY = `#:schema ./node_modules/harn/schema/harn.schema.json
# The policy of this house.

[dependencies]   # what is installed
"@acme/guards" = "^1.2.0" # ours

# Nobody shuts this machine down.
[[hooks]]
event = "PreToolUse"
handler = "@acme/guards::guard" # module::export
priority = 10

[hooks.options]
deny = ["shutdown"]

# At the very end: a summary.
[[hooks]]
event = "Stop"
handler = "policy::summary"
`;

const isAcme = (handler: string) => handler.startsWith("@acme/guards::");
const HOOK = { event: "PreToolUse", handler: "@acme/jail::jail", priority: 20 };

describe("adding", () => {
  test("a package goes below the others, a hook behind the others, and nothing else moves", async () => {
    const edited = await editToml(POLICY, setKey("dependencies", "@acme/jail", "^2.0.0"), addHook(HOOK));
    expect(edited).toBe(
      `${POLICY.replace("# ours\n", '# ours\n"@acme/jail" = "^2.0.0"\n')}
[[hooks]]
event = "PreToolUse"
handler = "@acme/jail::jail"
priority = 20
`,
    );
  });

  test("a package that is there gets its new range", async () => {
    expect(await editToml(POLICY, setKey("dependencies", "@acme/guards", "^3.0.0"))).toBe(
      POLICY.replace("^1.2.0", "^3.0.0"),
    );
  });

  test("a section that is missing stands before the hooks, above their comment", async () => {
    const text = "# about\n\n# first\n[[hooks]]\nevent = 'Stop'\n";
    expect(await editToml(text, setKey("dependencies", "a", "1"))).toBe(
      `# about\n\n[dependencies]\na = "1"\n\n# first\n[[hooks]]\nevent = 'Stop'\n`,
    );
  });

  test.each([
    ["nothing", "", 'extends = ["p"]\n'],
    ["a comment", "# about\n", '# about\n\nextends = ["p"]\n'],
    ["a section", "# about\n\n[policy]\nstrict = true\n", '# about\n\nextends = ["p"]\n\n[policy]\nstrict = true\n'],
    ["a list", 'extends = ["a"] # packs\n', 'extends = ["a", "p"] # packs\n'],
    ["an empty list", "extends = []\n", 'extends = ["p"]\n'],
    ["a list in lines", 'extends = [\n  "a", # one\n]\n', 'extends = [\n  "a", # one\n  "p",\n]\n'],
    ["a list in lines without a comma", 'extends = [\n  "a" # one\n]\n', 'extends = [\n  "a", # one\n  "p",\n]\n'],
  ])("a pack, where there is %s", async (_, text, expected) => {
    expect(await editToml(text, addItem("extends", "p"))).toBe(expected);
  });

  test.each([
    ["inline", 'dependencies = { a = "1" }\n', 'dependencies = { a = "1", "@b/c" = "2" }\n'],
    ["empty", "dependencies = {}\n", 'dependencies = { "@b/c" = "2" }\n'],
    ["dotted", 'dependencies.a = "1"\n', 'dependencies.a = "1"\ndependencies."@b/c" = "2"\n'],
    ["a bare heading", "[dependencies]\n", '[dependencies]\n"@b/c" = "2"\n'],
    ["a file without a last line break", "[dependencies]\na = '1'", '[dependencies]\na = \'1\'\n"@b/c" = "2"\n'],
  ])("a package, where the section is %s", async (_, text, expected) => {
    expect(await editToml(text, setKey("dependencies", "@b/c", "2"))).toBe(expected);
  });

  test("line ends and the byte order mark stay", async () => {
    const text = '\uFEFF[dependencies]\r\na = "1" # x\r\n';
    expect(await editToml(text, setKey("dependencies", "b", "2"))).toBe(`${text}b = "2"\r\n`);
  });

  test("a hook joins a list of them", async () => {
    const text = 'hooks = [\n  { event = "Stop", handler = "a::b" },\n]\n';
    const edited = await editToml(text, addHook(HOOK));
    expect(((await parseToml(edited)).hooks as unknown[]).length).toBe(2);
    expect(
      await editToml(
        edited,
        dropHooks((handler) => handler === HOOK.handler),
      ),
    ).toBe(text);
  });
});

describe("removing", () => {
  test("hooks go with their options and with the comment directly above them", async () => {
    const edited = await editToml(POLICY, dropHooks(isAcme), dropKey("dependencies", "@acme/guards"));
    expect(edited).toBe(`#:schema ./node_modules/harn/schema/harn.schema.json
# The policy of this house.

# At the very end: a summary.
[[hooks]]
event = "Stop"
handler = "policy::summary"
`);
  });

  test("a comment that begins the file speaks of all of it, and stays", async () => {
    const text = '# ours\n[[hooks]]\nevent = "Stop"\nhandler = "@acme/guards::guard"\n';
    expect(await editToml(text, dropHooks(isAcme))).toBe("# ours\n");
  });

  test.each([
    ["one of two", 'extends = ["p", "a"]\n', 'extends = ["a"]\n'],
    ["the last of two", 'extends = ["a", "p"]\n', 'extends = ["a"]\n'],
    ["the only one", '# x\nextends = ["p"]\n\n[policy]\n', "# x\n\n[policy]\n"],
    ["none of them", 'extends = ["a"]\n', 'extends = ["a"]\n'],
  ])("a pack that is %s", async (_, text, expected) => {
    expect(await editToml(text, dropItemOf("extends", "p"))).toBe(expected);
  });

  test.each([
    ["inline", 'dependencies = { a = "1", b = "2" }\n', 'dependencies = { b = "2" }\n'],
    ["dotted", 'dependencies.a = "1"\ndependencies.b = "2"\n', 'dependencies.b = "2"\n'],
  ])("a package, where the section is %s", async (_, text, expected) => {
    expect(await editToml(text, dropKey("dependencies", "a"))).toBe(expected);
  });
});

const line = fc.constantFrom("", "", "# a comment", "#:schema x", 'strict_comment = "x" # y');
const section = fc.constantFrom(
  "",
  '[dependencies]\nz = "1" # pinned\n',
  'dependencies.z = "1"\n',
  'dependencies = { z = "1" }\n',
);
const hooks = fc.constantFrom(
  "",
  '[[hooks]]\nevent = "Stop"\nhandler = "a::b"\n',
  '# why\n[[hooks]]\nevent = "Stop"\nhandler = "a::b"\n\n[hooks.options]\nx = 1\n',
  '[[hooks]]\nevent = "Stop"\nhandler = "a::b" # c\n\n\n# two\n[[hooks]]\nevent = "Stop"\nhandler = "c::d"\noptions = { a = 1 }\n',
);

test("what is added can be taken out again, and the rest is as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 3 }), section, hooks, fc.boolean(), async (top, deps, body, crlf) => {
      const keys = top.map((text, index) => text.replace("strict_comment", `k${index}`));
      const isTable = deps.startsWith("[");
      const joined = [...keys, isTable ? "" : deps, isTable ? deps : "", body].join("\n");
      const text = crlf ? joined.replaceAll("\n", "\r\n") : joined;
      const before = await parseToml(joined);
      const added = await editToml(
        text,
        addHook(HOOK),
        setKey("dependencies", "@acme/jail", "^2.0.0"),
        addItem("extends", "@acme/jail"),
      );
      const value = await parseToml(added.replaceAll("\r\n", "\n"));
      expect(value).toMatchObject({ extends: ["@acme/jail"], dependencies: { "@acme/jail": "^2.0.0" } });
      expect((value.hooks as unknown[]).at(-1)).toEqual(HOOK);
      const removed = await editToml(
        added,
        dropHooks((handler) => handler === HOOK.handler),
        dropKey("dependencies", "@acme/jail"),
        dropItemOf("extends", "@acme/jail"),
      );
      expect(await parseToml(removed.replaceAll("\r\n", "\n"))).toEqual(before);
      const words = (all: string) => all.split(/\r?\n/).filter((each) => each.trim() !== "");
      expect(words(removed)).toEqual(words(text));
    }),
    { numRuns: 300 },
  );
});
