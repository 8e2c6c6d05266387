#!/bin/sh
# A script that asks Harn before it runs a command. HARN is the command that runs harn.

# What writes and reads JSON has to know it: a command between quotes written by hand could close them.
request() {
  node -p 'JSON.stringify({ event: "PreToolUse", payload: { tool: { name: "Bash", args: { command: process.argv[1] } } } })' -- "$1"
}

# The command that may run, as the policy left it. An answer that does not say allow, or none at all, is a no.
allowed() {
  node -e '
    const { verdict, reason, payload } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    if (verdict === "allow") console.log(payload.tool.args.command);
    else throw reason;
  ' 2>/dev/null
}

guarded() {
  if command=$(request "$1" | ${HARN:-harn} run | allowed); then sh -c "$command"; else echo "refused: $1"; fi
}

guarded 'echo "hello"'
guarded "rm -rf /nowhere"
