#!/bin/sh
# Hook: Guard
# Event: Stop
exit 0
