/** A hook package a new policy starts with. */
export interface Starter {
  readonly package: string;
  readonly range: string;
  readonly question: string;
  /** Its `[[hooks]]` entry. */
  readonly hook: string;
  /** A case that shows it at work. */
  readonly cases: string;
}

export const STARTERS: readonly Starter[] = [
  {
    package: "@hooks/command-guard",
    range: "^0.1.0",
    question: "Stop shell commands that destroy what cannot be brought back?",
    hook: `# Shell commands that destroy what cannot be brought back are stopped.
[[hooks]]
event = "PreToolUse"
pattern = "Bash"
handler = "@hooks/command-guard::guard"
priority = 10
`,
    cases: `[[cases]]
name = "deleting everything is refused"
tool = "Bash"
args = { command = "rm -rf /" }
expect = { verdict = "block" }

[[cases]]
name = "looking around is not"
tool = "Bash"
args = { command = "ls -la" }
expect = { verdict = "allow" }
`,
  },
];

/** The files of a new policy. */
export function starterFiles(starters: readonly Starter[]): Readonly<Record<string, string>> {
  const ranges = starters.map((starter) => `"${starter.package}" = "${starter.range}"`);
  const manifest = `#:schema ./node_modules/harn/schema/harn.schema.json
# What agents may do here. Hooks run by priority, low to high; the first block wins.
${ranges.length === 0 ? "" : `\n[dependencies]\n${ranges.join("\n")}\n`}${starters.map(({ hook }) => `\n${hook}`).join("")}`;
  const cases = starters.map((starter) => starter.cases);
  return {
    "harn.toml": manifest,
    ...(cases.length === 0
      ? {}
      : {
          "policy.harn-test.toml": `# What the policy is for, as cases: \`harn test\` tries them.\n\n${cases.join("\n")}`,
        }),
  };
}
