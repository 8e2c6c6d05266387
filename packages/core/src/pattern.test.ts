import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { block } from "./effect.js";
import { type EventName, specOf } from "./events.js";
import { compileGlob } from "./glob.js";
import { createHarness } from "./harness.js";
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
    ["PreToolUse", 'event == "Stop"', 'event is never "Stop", so this could never match'],
    ["PreToolUse", "event != PreToolUse", "event is always PreToolUse, so this could never match"],
    ["PreToolUse", 'event =~ "^Post"', "event is never like ^Post, so this could never match"],
    ["PreToolUse", "!*", "it excludes everything"],
    ["PreToolUse", "!**", "it excludes everything"],
    ["PreToolUse", "!{*,Bash}", "it excludes everything"],
    ["FileEdited", "!**/*", "it excludes everything"],
    ["PreToolUse", "{Bash}", "{Bash} would stand for itself"],
    ["PreToolUse", "mcp__{a,b}__{c}", "{c} would stand for itself"],
    ["PreToolUse", "!{Bash}", "{Bash} would stand for itself"],
    ["FileEdited", "src/{app}/**", "{app} would stand for itself"],
    ["PreToolUse", "step_{3..1}", "{3..1} is no range"],
    ["PreToolUse", "step_{a..3}", "{a..3} is no range"],
    ["PreToolUse", "tool == Bash", 'tool is never "Bash"'],
    ["PreToolUse", "tool.args == ls", 'tool.args is never "ls"'],
    ["PostTurn", "turn.index == one", 'turn.index is never "one", so this could never match'],
    ["PostTurn", "turn.index == 1.0", 'turn.index is never "1.0"'],
    ["PostTurn", "turn.index == -1", 'turn.index is never "-1"'],
    ["PostTurn", 'turn.index == ""', 'turn.index is never ""'],
    ["PostTurn", 'turn.index =~ "^one$"', "turn.index is never like ^one$"],
    ["PostToolUse", "result.is_error == yes", 'result.is_error is never "yes"'],
    ["PostToolUse", 'result.is_error =~ "yes|1"', "result.is_error is never like yes|1"],
    ["PermissionReplied", 'decision =~ "^ask$"', "decision is never like ^ask$"],
    ["MemoryUpdate", "created == x", 'created is never "x"'],
    ["PreToolUse", 'tool.args.command =~ "echo $HOME"', "nothing stands before the beginning or behind the end"],
    ["PreToolUse", 'tool.name =~ "Bash^"', "nothing stands before the beginning or behind the end"],
    ["PreToolUse", 'tool.name =~ "(a^)b"', "nothing stands before the beginning or behind the end"],
    ["PreToolUse", 'tool.name =~ "a$b|c^d"', "nothing stands before the beginning or behind the end"],
    ["PreToolUse", 'tool.args.command =~ "\\\\$HOME"', "nothing stands before the beginning or behind the end"],
    ["PreToolUse", 'tool.args.command =~ "rm\\bx"', "no tool.args.command has a match of it"],
    ["PreToolUse", 'tool.args.command =~ "[^\\s\\S]"', "no tool.args.command has a match of it"],
    ["PreToolUse", 'tool.name =~ "rm -rf"', "no tool.name has a match of it"],
    ["PreToolUse", "tool.name =~ /Bash/", "slashes around it are a part of it"],
    ["PreToolUse", "tool.name === 'Bash'", "`===` is not a comparison"],
    ["PreToolUse", "tool.name ~= 'Bash'", "`~=` is not part of a pattern"],
    ["PreToolUse", "tool.name contains 'Bash'", "`contains` is not part of a pattern"],
    ["PreToolUse", "tool.args[0] == x", "`[` is not part of a pattern"],
    ["PreToolUse", "tool.name == 'a' or tool.name == 'b'", "`or` is not part of a condition"],
    ["PreToolUse", "tool.name == a or tool.name == b", "`or` is not part of a condition"],
    ["PreToolUse", "tool.name == Bash, Write", 'tool.name is never "Bash, Write"'],
    ["PreToolUse", "tool.name == mcp__*", 'tool.name is never "mcp__*"'],
    ["PreToolUse", "payload.tool.name == Bash", 'Did you mean "tool.name"?'],
    ["PreToolUse", "'Bash'", 'no name has "\'" in it'],
    ["PreToolUse", "/Bash/", "slashes around it make no expression"],
    ["PreToolUse", "mcp__.*", "`.*` is an expression's"],
    ["PreToolUse", ".+", "`.*` is an expression's"],
    ["PreToolUse", "mcp__\\w", "`\\w` stands for nothing in a glob"],
    ["PreToolUse", "a}", "no tool.name is like this"],
    ["PreToolUse", "[z-a]", "it is no glob"],
    ["PreToolUse", "!", "nothing stands behind the `!`"],
    ["PreStep", "captain.review|captain.plan", "`|` is not part of a glob"],
    ["FileEdited", "src/", "does not end with a slash"],
    ["FileEdited", "~/notes.md", "in the place of `~`"],
    ["FileEdited", "src\\app.ts", "`\\a` stands for nothing in a glob"],
  ])("%s %j is refused: %s", (event, pattern, message) => {
    expect(() => compilePattern(pattern, event, specOf(event))).toThrow(message);
    expect(() => compilePattern(pattern, event, specOf(event))).toThrow(
      expect.objectContaining({ code: "HARN_E_PATTERN" }),
    );
  });
});

describe("what can match is taken", () => {
  test.each<[EventName, string]>([
    ["PreToolUse", "event == PreToolUse"],
    ["custom.deploy", "event == custom.deploy"],
    ["PreToolUse", "event != Stop"],
    ["PreToolUse", "!Bash"],
    ["PreToolUse", "!mcp__*"],
    ["PreToolUse", "!?*"],
    ["FileEdited", "!*"],
    ["PreToolUse", "\\{Bash\\}"],
    ["PreToolUse", "step_{1..12}"],
    ["PostTurn", "turn.index == 1"],
    ["TurnEnd", 'turn.index == ""'],
    ["PostTurn", 'turn.index =~ "^1"'],
    ["SessionStart", 'is_resume == ""'],
    ["PreToolUse", 'tool.args == {"command":"ls"}'],
    ["MemoryUpdate", 'created == ["a"]'],
    ["PreToolUse", 'tool.args.command =~ "a$|b"'],
    ["PreToolUse", 'tool.args.command =~ "\\$HOME"'],
    ["PreToolUse", 'tool.args.command =~ "ls$x?"'],
    ["PreToolUse", 'tool.args.command =~ "^$"'],
    ["PreCompletion", "request.model == x"],
    ["PreToolUse", "functions.*"],
    ["PreStep", "merge_captain.*"],
    ["SubagentStart", "code reviewer"],
    ["SubagentStart", "subagent.name == code reviewer"],
    ["OnPersonaPaused", "prompt writer"],
    ["PreToolUse", 'tool.name =~ "(?i)BASH|\\bmcp__"'],
    ["PreToolUse", 'tool.args.command =~ "(?m)^rm$"'],
    ["PreToolUse", 'tool.args.command =~ "(?m)a\\n^b"'],
    ["PreToolUse", "tool.args.command == this or that"],
    ["PreToolUse", "tool.args.path =~ '/src/'"],
  ])("%s %j", (event, pattern) => {
    expect(compilePattern(pattern, event, specOf(event)).source).toBe(pattern);
  });

  test("a range counts as a shell does", () => {
    const matches = compileGlob("step_{8..12}", "name");
    expect(["step_8", "step_10", "step_12"].every(matches)).toBe(true);
    expect(["step_1", "step_7", "step_13", "step_"].some(matches)).toBe(false);
    expect(compileGlob("{08..11}", "name")("09")).toBe(true);
    expect(compileGlob("{a..c}x", "name")("bx")).toBe(true);
  });
});

describe("a text too long to be decided", () => {
  const long = "x".repeat(2 * 1024 * 1024);

  test("is a fault of the hook, not a miss", async () => {
    const harness = createHarness({ ports: { warn: () => {} } });
    harness.register({ event: "PreToolUse", pattern: 'tool.args.text =~ "y"', handler: () => undefined });
    const fire = (text: string) => harness.fire("PreToolUse", { tool: { name: "Write", args: { text } } });
    expect(await fire(long)).toMatchObject({ verdict: "block", faults: [{ error: { code: "HARN_E_PATTERN" } }] });
    expect(await fire("x")).toMatchObject({ verdict: "allow", faults: [] });
  });

  test("takes the larger expressions less far", () => {
    const { payload } = compilePattern('tool.args.text =~ "(?:.?){990}$"', "PreToolUse", specOf("PreToolUse"));
    const of = (text: string) => ({ tool: { name: "Write", args: { text } } });
    expect(payload?.(of("x".repeat(10_000)))).toBe(true);
    expect(() => payload?.(of("x".repeat(100_000)))).toThrow("cannot be decided");
  });

  test("lets a hook run whose subject it is", () => {
    expect(matches("mcp__[ab]*", "PreToolUse", { tool: { name: long, args: {} } })).toBe(true);
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

describe("the agent's own name of a tool", () => {
  const tool = { name: "Bash", native_name: "run_shell_command", args: {} };
  test.each([
    ["Bash", true],
    ["run_shell_command", true],
    ["run_*", true],
    ["{Write,run_shell_command}", true],
    ["Write", false],
    ["!Bash", false],
    ["!run_shell_command", false],
    ["!Write", true],
    ['tool.name == "run_shell_command"', false],
    ['tool.name != "Bash"', false],
    ['tool.native_name == "run_shell_command"', true],
  ])("%s", async (pattern, isMatch) => {
    const harness = createHarness();
    harness.register({ event: "PreToolUse", pattern, handler: () => block("seen") });
    // The same name without a native one first: the two must not share a route.
    await harness.fire("PreToolUse", { tool: { name: "Bash", args: {} } });
    const { verdict } = await harness.fire("PreToolUse", { tool });
    expect(verdict).toBe(isMatch ? "block" : "allow");
  });
});
