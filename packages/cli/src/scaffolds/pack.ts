import { VERSION } from "../version.js";

/** The files of a policy pack that works: it blocks something, lets projects tighten it, and a test shows both. */
export function scaffoldPack(name: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(packageJson(name), null, 2)}\n`,
    "harn.toml": manifest(name),
    "rules.js": RULES,
    "options.schema.json": `${JSON.stringify(OPTIONS, null, 2)}\n`,
    "policy.harn-test.toml": CASES,
    "README.md": readme(name),
    ".gitignore": "node_modules/\n",
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
        guard: {
          description: "Refuses commands that contain one of the words it is given",
          events: ["PreToolUse"],
          options: "./options.schema.json",
        },
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

const RULES = `/**
 * Refuses a command that contains one of the words in \`options.deny\`.
 *
 * @param {{ tool: { name: string, args: Record<string, unknown> } }} payload
 * @param {{ options: { deny: string[] } }} context
 */
export function guard({ tool }, { options }) {
  const words = String(tool.args.command ?? "").split(/\\s+/);
  const found = options.deny.find((word) => words.includes(word));
  if (found !== undefined) return { block: true, reason: \`"\${found}" is not for agents; ask a person to do it\` };
}
`;

const OPTIONS = {
  type: "object",
  properties: {
    deny: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: ["shutdown"],
      description: "Words no command may contain. Projects may add to them.",
      tunable: "add",
    },
  },
  additionalProperties: false,
};

const CASES = `[[cases]]
name = "a word that is denied is refused"
tool = "Bash"
args = { command = "sudo reboot" }
expect = { verdict = "block", reason = "not for agents" }

[[cases]]
name = "the same letters in another word are not"
tool = "Bash"
args = { command = "ls rebooted.log" }
expect = { verdict = "allow" }
`;

function readme(name: string): string {
  return `# ${name}

A policy pack for [Harn](https://www.npmjs.com/package/harn).

\`\`\`toml
extends = ["${name}"]
\`\`\`

| hook | event | what it refuses |
| --- | --- | --- |
| \`command-guard\` | PreToolUse | commands with a word of \`deny\`; projects may add words with \`[[tighten]]\` |
`;
}
