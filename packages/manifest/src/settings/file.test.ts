import fc from "fast-check";
import { expect, it } from "vitest";
import { readHooks } from "./file.js";
import { parseJson } from "./json.js";

const key = fc.constantFrom(
  "hooks",
  "PreToolUse",
  "Stop",
  "SessionStart",
  "Notification",
  "path",
  "timeout",
  "matcher",
  "tool_name",
  "tool_input.command",
  "type",
  "command",
  "args",
  "shell",
  "onFailure",
  "__proto__",
  "toString",
);
const scalar = fc.oneof(
  fc.constantFrom<unknown>("command", "Bash", "*", "", "^(?!x)", "hooks/a.sh", "sh", "block", "a\0b", "$X", "'"),
  fc.constantFrom<unknown>(0, 5, -1, 1e9, null, true, false),
);
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, depthSize: "large" },
    scalar,
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(key, tie("node"), { maxKeys: 4 }),
  ),
}));

it("reads any JSON into hooks and problems, each at a place of the file", () => {
  const home = { root: "/nowhere", isStrict: false, env: [] };
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("PreToolUse", "Stop", "PostToolUse", "x"), node, { maxKeys: 3 }),
      (hooks) => {
        const text = JSON.stringify({ hooks }, null, 1);
        const document = parseJson(text);
        if ("mistake" in document) throw new Error(document.mistake.message);
        const read = readHooks(document, "settings.json", home);
        const lines = text.split("\n").length;
        for (const { place, message, help } of read.problems) {
          expect(place.line).toBeGreaterThan(0);
          expect(place.line).toBeLessThanOrEqual(lines);
          expect(message).toMatch(/\S/);
          expect(help).toMatch(/\S/);
        }
        for (const { name, command, event } of read.hooks) {
          expect(name).not.toBe("");
          expect(command.argv.every((word) => typeof word === "string")).toBe(true);
          expect(["PreToolUse", "Stop", "PostToolUse"]).toContain(event);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
