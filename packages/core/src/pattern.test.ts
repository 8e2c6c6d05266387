import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { type EventName, specOf } from "./events.js";
import { compileGlob } from "./glob.js";
import { compileHook } from "./hook.js";
import { copyJson, type JsonObject } from "./json.js";
import { compilePattern } from "./pattern.js";
import { Plan } from "./plan.js";

/** Whether a hook with this pattern is reached by this payload, through the real route. */
function matches(pattern: string, event: EventName, payload: object): boolean {
  const plan = new Plan();
  const init = { event, pattern, handler: () => undefined, handlerName: "h" };
  plan.add(compileHook(init, () => () => true));
  const frozen = copyJson({ event, session: { id: "s" }, ...payload }) as JsonObject;
  const [hook] = plan.route(event, frozen).hooks;
  return hook !== undefined && (hook.pattern.payload?.(frozen) ?? true);
}

const bash = { tool: { name: "Bash", args: { command: "ls -la", nested: { deep: 0 }, list: [1] } } };

describe("patterns", () => {
  test.each([
    ["", true],
    ["*", true],
    [" * ", true],
    ["Bash", true],
    ["bash", false],
    ["Ba*", true],
    ["*sh", true],
    ["*as*", true],
    ["B?sh", true],
    ["[AB]ash", true],
    ["{Bash,Write}", true],
    ["{Edit,Write}", false],
    ["!Write", true],
    ["!{Bash,Write}", false],
    ["Bas", false],
    ["ash", false],
    ['tool.name == "Bash"', true],
    ["tool.name == Bash", true],
    ["tool.name == 'bash'", false],
    ['tool.name != "Write"', true],
    ['tool.name =~ "^(Bash|Write)$"', true],
    ['tool.name =~ "as"', true],
    ['tool.args.command =~ "^ls\\s"', true],
    ['tool.args.missing == ""', true],
    ['tool.args.nested == {"deep":0}', true],
    ["tool.args.list != []", true],
    ["tool.args.command", true],
    ["tool.args.missing", false],
    ["tool.args.nested.deep", false],
    ["read.file", false],
  ])("%j on a Bash call: %s", (pattern, expected) => {
    expect(matches(pattern, "PreToolUse", bash)).toBe(expected);
  });

  test("a tool with a dot in its name is a tool, not a path", () => {
    expect(matches("read.file", "PreToolUse", { tool: { name: "read.file", args: {} } })).toBe(true);
  });

  test.each<[EventName, string, object]>([
    ["FileEdited", "src/**/*.rs", { path: "src/a/b.rs" }],
    ["FileEdited", "*.rs", { path: "main.rs" }],
    ["SubagentStart", "review*", { subagent: { name: "reviewer" } }],
    ["SessionStart", "resume", { source: "resume" }],
    ["PreCompletion", "claude-*", { request: { model: "claude-x" } }],
    [
      "PreStep",
      "merge_*.audit",
      { target: "merge_bot.audit", persona: "merge_bot", step: { name: "audit", args: [] } },
    ],
    ["ModelSwitch", "gpt*", { previous_model: "a", new_model: "gpt-9" }],
  ])("on %s the glob %j is matched against the subject of the event", (event, pattern, payload) => {
    expect(matches(pattern, event, payload)).toBe(true);
    expect(matches(`x${pattern}`, event, payload)).toBe(false);
  });

  test("a subject that is no text is compared as its JSON, like any other value", () => {
    const request = { model: { id: "gpt-4" } };
    expect(matches('request.model =~ "gpt"', "PreCompletion", { request })).toBe(true);
    expect(matches("request.model", "PreCompletion", { request })).toBe(true);
  });

  test("a path's star stops at a slash, a name's does not", () => {
    expect(matches("src/*.rs", "FileEdited", { path: "src/a/b.rs" })).toBe(false);
    expect(matches("mcp*", "PreToolUse", { tool: { name: "mcp/server/tool", args: {} } })).toBe(true);
  });

  test.each<[EventName, string, string]>([
    ["PreToolUse", "[Bash", 'Missing closing: "]"'],
    ["PreToolUse", "Write|Edit", "`|` is not part of a glob, so this could never match"],
    ["PreToolUse", "!(Bash|Write)", "a negated group has no linear-time form"],
    ["PreToolUse", 'tool.name =~ "("', "invalid regular expression: missing closing )"],
    ["PreToolUse", 'tool.name =~ "(?=x)"', "invalid regular expression"],
    ["PreToolUse", "tool.name ==", "nothing stands on the right side"],
    ["PreToolUse", 'tool.name == "Bash', 'a quote (") is not closed'],
    ["PreToolUse", "tool.nmae == Bash", 'tool has no "nmae", so this could never match. Did you mean "name"?'],
    ["PreToolUse", "tool.name.first", 'tool.name has no "first", so this could never match'],
    ["PreToolUse", 'prompt =~ "x"', 'the payload of PreToolUse has no "prompt"'],
    ["PreFinish", "Bash", "PreFinish has no subject for a glob, so this could never match"],
    ["PreToolUse", "tool.args.n >= 5", "`>=` is not part of a pattern"],
    ["PreToolUse", "tool.name in [Bash]", "`in` is not part of a pattern"],
    ["PreToolUse", "not tool.args.path", "`not` is not part of a pattern"],
    ["PreToolUse", "^Bash$", 'no name has "^" in it'],
    ["PreToolUse", "Bash,Write", 'no name has "," in it'],
    ["PreToolUse", "Bash(rm *)", "no name has"],
    ["PreToolUse", "x".repeat(1_001), "longer than 1000 characters"],
  ])("%s %j is refused: %s", (event, pattern, message) => {
    expect(() => compilePattern(pattern, event, specOf(event))).toThrow(message);
    expect(() => compilePattern(pattern, event, specOf(event))).toThrow(
      expect.objectContaining({ code: "HARN_E_PATTERN" }),
    );
  });
});

describe("globs", () => {
  test("agree with picomatch on ordinary names", () => {
    const glob = fc.array(fc.constantFrom("a", "b", "_", "*", "?", "[ab]", "{a,bb}"), { minLength: 1, maxLength: 6 });
    const name = fc.array(fc.constantFrom("a", "b", "_"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(glob, name, (globParts, nameParts) => {
        const source = globParts.join("");
        const subject = nameParts.join("");
        expect(compileGlob(source, "name")(subject)).toBe(picomatch.isMatch(subject, source));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(["exec_/..", "exec_\nrm", "exec_../x", "exec_.", "exec_"])("no name slips past exec_*: %j", (name) => {
    expect(compileGlob("exec_*", "name")(name)).toBe(true);
  });

  test("run in linear time whatever an agent calls its tool", () => {
    expect(compileGlob("*a*a*a*a*a*a*a*a*b", "name")("a".repeat(20_000))).toBe(false);
    expect(compileGlob("**/*a*a*a*a*a*b", "path")("a".repeat(20_000))).toBe(false);
  });
});
