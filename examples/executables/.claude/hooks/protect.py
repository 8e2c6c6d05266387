#!/usr/bin/env python3
# Hook: protect
# Event: PreToolUse
# Description: Lock files are written by tools, and secrets by nobody.
import json
import sys

payload = json.load(sys.stdin)
path = payload.get("tool_input", {}).get("file_path", "")


def decide(decision, reason):
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    print(json.dumps({"hookSpecificOutput": output}))
    sys.exit(0)


if path.endswith(".lock") or path.endswith("-lock.json"):
    decide("ask", f"{path} is written by the package manager")
if path.endswith(".env"):
    decide("deny", f"{path} holds secrets")
