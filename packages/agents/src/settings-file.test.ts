import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claude } from "./claude.js";
import { cursor } from "./cursor.js";
import { addEntries, ownCommands, parseSettings, removeEntries, UnusableSettings } from "./settings-file.js";

const COMMANDS = new Map<string, [string, number]>([
  ["PreToolUse", ["harn hook claude --event PreToolUse", 60]],
  ["Stop", ["harn hook claude --event Stop", 60]],
]);

const add = (text: string) => addEntries(text, claude.install, COMMANDS);

/** Whether all of one text stands in another, in its order. */
function holds(text: string, part: string): boolean {
  let at = 0;
  for (const letter of part) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const SETTINGS = [
  "",
  "{}",
  "{\n}\n",
  '{"hooks":{}}',
  '{"hooks":{"PreToolUse":[]}}',
  '{ "model": "opus" }\n',
  '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]\n\t}\n}\n',
  '{\r\n  "model": "opus"\r\n}\r\n',
  '\uFEFF{\n  "model": "opus"\n}\n',
  '// top\n{\n  "a": 1, // one\n  /* two */ "hooks": {\n    // three\n    "PreToolUse": [\n      { "hooks": [] }, // four, with a comma\n    ], // five\n  },\n}\n// end\n',
  '{ "hooks": { "PreToolUse": [ // nothing yet\n ] } }',
];

describe.each(SETTINGS)("%j", (text) => {
  test("keeps all that was there, and adds one entry for each event", () => {
    const after = add(text);
    expect(holds(after, text.trimEnd())).toBe(true);
    expect([...ownCommands(after)]).toEqual(
      expect.arrayContaining([...COMMANDS].map(([event, [command]]) => [event, [command]])),
    );
    const before = text.trim() === "" ? {} : parseSettings(text);
    expect(parseSettings(removeEntries(after)).hooks ?? {}).toEqual(withoutEmpty((before.hooks ?? {}) as object));
    const { hooks: _now, ...rest } = parseSettings(after);
    const { hooks: _then, ...others } = before;
    expect(rest).toEqual(others);
  });

  test("a second time changes nothing", () => {
    expect(add(add(text))).toBe(add(text));
  });

  test("other commands take the place of the old ones", () => {
    const renewed = addEntries(add(text), claude.install, new Map([["Stop", ["other/harn hook claude", 5]]]));
    expect([...ownCommands(renewed)]).toEqual([["Stop", ["other/harn hook claude"]]]);
  });
});

/** An event whose only entries were ours goes with them, and so does one that was empty. */
function withoutEmpty(hooks: object): object {
  return Object.fromEntries(Object.entries(hooks).filter(([, list]) => !Array.isArray(list) || list.length > 0));
}

test("any settings at all survive it", () => {
  const entry = fc.record({
    matcher: fc.string(),
    hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() })),
  });
  const settings = fc.record(
    {
      model: fc.string(),
      env: fc.dictionary(fc.string(), fc.jsonValue()),
      hooks: fc.dictionary(fc.constantFrom("PreToolUse", "Stop", "Notification"), fc.array(entry, { minLength: 1 })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(settings, fc.constantFrom(undefined, 2, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const after = add(text);
      expect(holds(after, text)).toBe(true);
      expect(add(after)).toBe(after);
      const { hooks = {}, ...rest } = JSON.parse(JSON.stringify(value)) as { hooks?: object };
      const back = JSON.parse(removeEntries(after)) as object;
      if (space !== undefined && Object.keys(value.hooks ?? { none: true }).length > 0)
        expect(removeEntries(after).replace(/^\{\}$/, text)).toBe(text);
      expect({ hooks: {}, ...back }).toEqual({ ...rest, hooks });
    }),
    { numRuns: 500 },
  );
});

test.each(["[]", "{", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "null", "{} {}"])("%s is left alone", (text) => {
  expect(() => add(text)).toThrow(UnusableSettings);
});

test("what the file must have beside the entries is added, and not replaced", () => {
  const commands = new Map<string, [string, number]>([["stop", ["harn hook cursor", 60]]]);
  expect(parseSettings(addEntries("", cursor.install, commands)).version).toBe(1);
  expect(parseSettings(addEntries('{"version": 2}', cursor.install, commands)).version).toBe(2);
});

test("of a group with another command beside ours, ours alone is taken out", () => {
  const text = '{"hooks": {"Stop": [{"hooks": [{"command": "harn hook claude"}, {"command": "mine"}]}]}}';
  expect(removeEntries(text)).toBe('{"hooks": {"Stop": [{"hooks": [ {"command": "mine"}]}]}}');
});

test("entries are known whatever runs them", () => {
  const commands = new Map<string, [string, number]>([
    ["Stop", ["(exec ./guard hook claude --event Stop --budget 5)", 60]],
  ]);
  const text = addEntries("{\n}\n", claude.install, commands);
  expect([...ownCommands(text).keys()]).toEqual(["Stop"]);
  expect(parseSettings(removeEntries(text))).toEqual({});
});

test.each([
  '{\n  "a": 1 // last, comment\n}\n',
  '{\n  "a": 1 /* one */, // two\n  "b": 2\n  // three\n}\n',
  '{\n  "hooks": {\n    // nothing, yet\n  }\n  // end\n}\n',
  '{\r\n  "hooks": {\r\n    "PreToolUse": [\r\n      { "hooks": [] } // mine\r\n    ]\r\n  }\r\n}\r\n',
  '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }, // mine, first\n      { "hooks": [] } // mine, last\n    ],\n    "Notification": []\n  }\n}\n',
])("%j comes back without the file of before", (text) => {
  expect(removeEntries(add(text))).toBe(text);
});

test.each(['{"hooks": {"Stop": []}, "hooks": {}}', '{"hooks": {"Stop": [{"hooks": []}], "Stop": []}}'])(
  "%s would be read in another way by the agent, and is left alone",
  (text) => {
    expect(() => add(text)).toThrow(UnusableSettings);
  },
);
