import { VERSION } from "../version.js";
import { CASES, DESCRIPTION, GUARD, guardOptions, WORKFLOW } from "./guard.js";

/** The files of a policy pack that works: it blocks something, lets projects tighten it, and a test shows both. */
export function scaffoldPack(name: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(packageJson(name), null, 2)}\n`,
    "harn.toml": manifest(name),
    "rules.js": GUARD,
    "options.schema.json": `${JSON.stringify(OPTIONS, null, 2)}\n`,
    "policy.harn-test.toml": CASES,
    "README.md": readme(name),
    ".gitignore": "node_modules/\n",
    ".github/workflows/ci.yml": WORKFLOW,
  };
}

function packageJson(name: string) {
  return {
    name,
    version: "0.1.0",
    description: "A policy pack for Harn",
    license: "MIT",
    keywords: ["harn", "harn-pack"],
    type: "module",
    engines: { node: ">=20" },
    exports: { ".": "./rules.js", "./package.json": "./package.json" },
    files: ["harn.toml", "rules.js", "options.schema.json"],
    scripts: { test: "harn trust --yes && harn pack check" },
    harn: {
      api: 1,
      hooks: {
        guard: DESCRIPTION,
      },
    },
    devDependencies: { harn: `^${VERSION}` },
  };
}

function manifest(name: string): string {
  return `# What every project that extends this pack gets.

[package]
name = "${name}"
version = "0.1.0"
harn = ">=${VERSION} <1"

[[hooks]]
id = "command-guard"
event = "PreToolUse"
pattern = "Bash"
handler = "${name}::guard"
priority = 10
options = { deny = ["shutdown", "reboot"] }
`;
}

const OPTIONS = guardOptions({
  description: "Words no command may contain. Projects may add to them.",
  tunable: "add",
});

function readme(name: string): string {
  return `# ${name}

A policy pack for Harn.

\`\`\`toml
extends = ["${name}"]
\`\`\`

| hook | event | what it refuses |
| --- | --- | --- |
| \`command-guard\` | PreToolUse | commands with a word of \`deny\`; projects may add words with \`[[tighten]]\` |
`;
}
