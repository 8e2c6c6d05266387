import { VERSION } from "../version.js";

/** The files of a hook package that works: it blocks something, and a test shows it. */
export function scaffoldHook(name: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(packageJson(name), null, 2)}\n`,
    "index.js": INDEX,
    "options.schema.json": `${JSON.stringify(OPTIONS, null, 2)}\n`,
    "harn.toml": manifest(name),
    "guard.harn-test.toml": CASES,
    "README.md": readme(name),
    ".gitignore": "node_modules/\n",
    ".github/workflows/ci.yml": WORKFLOW,
  };
}

function packageJson(name: string) {
  return {
    name,
    version: "0.1.0",
    description: "A Harn hook: refuses commands you would rather not have",
    license: "MIT",
    keywords: ["harn", "harn-hook"],
    type: "module",
    engines: { node: ">=20" },
    exports: { ".": "./index.js", "./package.json": "./package.json" },
    files: ["index.js", "options.schema.json"],
    // The policy of a package is its own code, which `npm test` is there to run.
    scripts: { test: "harn trust --yes && harn validate && harn test" },
    harn: {
      api: 1,
      hooks: {
        guard: {
          description: "Refuses commands that contain one of the words it is given",
          events: ["PreToolUse"],
          capabilities: [],
          options: "./options.schema.json",
        },
      },
    },
    devDependencies: { harn: `^${VERSION}` },
  };
}

const INDEX = `/**
 * Refuses a command that contains one of the words in \`options.deny\`.
 *
 * @param {{ tool: { name: string, args: Record<string, unknown> } }} payload
 * @param {{ options: { deny: string[] } }} context
 */
export function guard({ tool }, { options }) {
  const words = String(tool.args.command ?? "").split(/\\s+/);
  const found = options.deny.find((word) => words.includes(word));
  // What is returned reaches the agent: say what to do instead.
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
      description: "Words no command may contain.",
    },
  },
  additionalProperties: false,
};

function manifest(name: string): string {
  return `#:schema ./node_modules/harn/schema/harn.schema.json
# The hook as its users bind it, for the tests of this package.

[[hooks]]
event = "PreToolUse"
pattern = "Bash"
handler = "${name}::guard"
priority = 10
options = { deny = ["shutdown", "reboot"] }
`;
}

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

A hook for [Harn](https://www.npmjs.com/package/harn): refuses commands that contain one of the words it is given.

\`\`\`sh
npx harn add ${name}
\`\`\`

| hook | events | capabilities |
| --- | --- | --- |
| \`guard\` | PreToolUse | none |

| option | default | |
| --- | --- | --- |
| \`deny\` | \`["shutdown"]\` | words no command may contain |

What it does not do: it looks at the words of a command and does not parse the shell.
`;
}

const WORKFLOW = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: npm install --ignore-scripts
      - run: npm test
`;
