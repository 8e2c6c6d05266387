import { expect, it } from "vitest";
import { nearest } from "./nearest.js";

it.each([
  ["priorty", ["priority", "pattern"], "priority"],
  ["prio", ["priority", "pattern"], "priority"],
  ["pre_tool_use", ["PostToolUse", "PreToolUse"], "PreToolUse"],
  ["PostToolUse", ["PostToolUseFailure", "PostToolUse"], "PostToolUse"],
  ["tool", ["tool.pre", "tool.post"], undefined],
  ["pat", ["path"], "path"],
  ["p", ["path"], undefined],
  ["nothing", ["alike"], undefined],
])("%s of %j: %s", (name, candidates, expected) => {
  expect(nearest(name, new Set(candidates))).toBe(expected);
});
