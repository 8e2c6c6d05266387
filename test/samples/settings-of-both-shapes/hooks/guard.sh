#!/bin/sh
# Hook: Guard
# Event: PreToolUse
# Description: Refuses to delete everything.
# Matcher: tool_name = "Bash"
if grep -q 'rm -rf /'; then
  echo '{"decision": "block", "message": "Blocked: recursive deletion"}'
  exit 2
fi
echo '{"continue": true}'
