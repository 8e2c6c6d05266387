#!/bin/sh
# Hook: Branch
# Event: SessionStart
# Description: Tells the model what it should know before it starts.
echo "Current project: example"
if [ -f "$1" ]; then
  echo "Last change: $(tail -n 1 "$1")"
fi
