import { describe, expect, it } from "vitest";
import { parseHeader } from "../process/header.js";
import { wordsOf } from "./words.js";

describe("the words of a command line", () => {
  it.each([
    ["./hooks/guard.sh", ["./hooks/guard.sh"]],
    ["python3 hooks/check.py --fast", ["python3", "hooks/check.py", "--fast"]],
    ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh', ["/p/.claude/hooks/a.sh"]],
    ['node "$CLAUDE_PROJECT_DIR/a b.js"', ["node", "/p/a b.js"]],
  ])("%s", (line, words) => expect(wordsOf(line, { CLAUDE_PROJECT_DIR: "/p" })).toEqual(words));

  it.each([
    "jq .x | grep y",
    "a && b",
    "a; b",
    "echo $(date)",
    "$HOME/x.sh",
    "A=1 b",
    "cat < x",
    "cat '$HOME'",
    "ls *",
    'echo "',
    "~/x.sh",
    "exit 2",
    ". ./env.sh",
    "if true",
    "",
  ])("%s is more than words", (line) => expect(wordsOf(line, {})).toBeUndefined());
});

describe("the documentation header", () => {
  it.each([
    [
      '#!/usr/bin/env bun\n// Hook: A\n// Event: PreToolUse\n// Description: b\n// Matcher: tool_name = "Bash"\n\nimport x',
    ],
    ['#!/bin/sh\n# Hook: A\n# Event: PreToolUse\n# Description: b\n# Matcher: tool_name = "Bash"\necho'],
    ['/**\n * Hook: A\n * Event: PreToolUse\n * Description: b\n * Matcher: tool_name = "Bash"\n */\n'],
    ['-- hook: A\n-- event: PreToolUse\n\n-- description: b\r\n-- matcher: tool_name = "Bash"\n'],
  ])("%j", (text) => {
    expect(parseHeader(text)).toEqual({
      hook: "A",
      event: "PreToolUse",
      description: "b",
      matcher: 'tool_name = "Bash"',
    });
  });

  it("ends where the script begins", () => {
    expect(parseHeader("#!/bin/sh\nexit 0\n# Event: Stop\n")).toEqual({});
  });
});
