#!/usr/bin/env node
import { createLoader } from "./code-cache.js";
import { VERSION } from "./version.js";

const [first, ...rest] = process.argv.slice(2);

// Asked for by scripts and prompts all day long, and needs nothing.
if ((first === "--version" || first === "-v") && rest.length === 0) process.stdout.write(`${VERSION}\n`);
else createLoader(/^[a-z]+$/.test(first ?? "") ? `${first}` : "help")("harn");
