#!/bin/sh
echo "Active branch: main"
