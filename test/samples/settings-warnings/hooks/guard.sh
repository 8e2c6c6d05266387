#!/bin/sh
# Hook: CommandGuard
# Event: PreToolUse
# Matcher: tool_name = "Write"
exit 2
