#!/bin/sh
if grep -q '"cwd":"[^"]*".*"file_path":"/etc'; then
  echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "outside of the project"}}'
fi
