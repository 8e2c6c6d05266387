#!/usr/bin/env node
// Hook: SecurityValidator
// Event: PreToolUse
// Description: Validates tool operations against security policies
// Matcher: tool_name = "Bash"

import { readFileSync } from "node:fs";

const { tool_input } = JSON.parse(readFileSync("/dev/stdin", "utf8"));

if (/\brm\s+-\w*r\w*\s+\/(\s|$)/.test(tool_input.command)) {
  console.log(JSON.stringify({ decision: "block", message: "Blocked: recursive deletion of root filesystem" }));
  process.exit(2);
}
