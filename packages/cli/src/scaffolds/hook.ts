import { VERSION } from "../version.js";
import { CASES, DESCRIPTION, GUARD, guardOptions, WORKFLOW } from "./guard.js";

/** The files of a hook package that works: it blocks something, and a test shows it. */
export function scaffoldHook(name: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(packageJson(name), null, 2)}\n`,
    "index.js": GUARD,
    "options.schema.json": `${JSON.stringify(guardOptions(), null, 2)}\n`,
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
        guard: DESCRIPTION,
      },
    },
    devDependencies: { harn: `^${VERSION}` },
  };
}

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

function readme(name: string): string {
  return `# ${name}

A hook for Harn: refuses commands that contain one of the words it is given.

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
