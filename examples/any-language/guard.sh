#!/bin/sh
# A script that asks Harn before it runs a command. HARN is the command that runs harn.
guarded() {
  asked=$(printf '{"event": "PreToolUse", "payload": {"tool": {"name": "Bash", "args": {"command": "%s"}}}}' "$1")
  # An answer that does not say allow, or none at all, is a no.
  case $(printf '%s\n' "$asked" | ${HARN:-harn} run) in
    *'"verdict":"allow"'*) sh -c "$1" ;;
    *) echo "refused: $1" ;;
  esac
}

guarded "echo hello"
guarded "rm -rf /nowhere"
