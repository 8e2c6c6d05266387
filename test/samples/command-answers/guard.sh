#!/bin/sh
if grep -q -e "$1"; then
  echo "not here: $1" >&2
  exit 2
fi
