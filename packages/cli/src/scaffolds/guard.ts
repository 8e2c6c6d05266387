/** What both scaffolds are made of: a guard that refuses words, cases that show it, and a workflow that tries them. */

export const GUARD = `/**
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

/** What says of the guard what it takes; `more` is added to its one option. */
export function guardOptions(more: Readonly<Record<string, unknown>> = {}) {
  return {
    type: "object",
    properties: {
      deny: {
        type: "array",
        items: { type: "string", minLength: 1 },
        default: ["shutdown"],
        description: "Words no command may contain.",
        ...more,
      },
    },
    additionalProperties: false,
  };
}

export const DESCRIPTION = {
  description: "Refuses commands that contain one of the words it is given",
  events: ["PreToolUse"],
  capabilities: [],
  options: "./options.schema.json",
};

export const CASES = `[[cases]]
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

export const WORKFLOW = `name: ci
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
