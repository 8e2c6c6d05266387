#!/bin/sh
grep -q '"stop_hook_active":false' && echo "{\"decision\": \"block\", \"reason\": \"$FIRST\"}"
