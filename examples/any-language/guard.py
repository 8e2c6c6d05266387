"""An agent in Python that asks Harn before each command. HARN is the command that runs harn."""

import json
import os
import shlex
import subprocess

harn = subprocess.Popen(
    [*shlex.split(os.environ.get("HARN", "harn")), "run"],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
    bufsize=1,
)


def ask(event, payload):
    """One line out, one line back. No answer is a no."""
    harn.stdin.write(json.dumps({"event": event, "payload": payload}) + "\n")
    harn.stdin.flush()
    line = harn.stdout.readline()
    return json.loads(line) if line else {"verdict": "block", "reason": "harn is gone"}


for command in ["ls", "rm -rf /", "npm install"]:
    answer = ask("PreToolUse", {"tool": {"name": "Bash", "args": {"command": command}}})
    if answer["verdict"] != "allow":
        print(f"{command}: {answer['verdict']}, {answer['reason']}")
    else:
        print(f"{command}: runs as {answer['payload']['tool']['args']['command']}")

harn.stdin.close()
harn.wait()
