/** One step of a person who meets Harn: what is typed, and what it must say. */
export interface Step {
  readonly name: string;
  readonly script: string;
  readonly expect: RegExp | undefined;
}

const CALL = '{"event": "PreToolUse", "payload": {"tool": {"name": "Bash", "args": {"command": "rm -rf /"}}}}';

/** The walk, with the command that starts harn in this project. */
export const STEPS = (harn: string): readonly Step[] => [
  { name: "init", script: `${harn} init --yes`, expect: /Wrote harn\.toml and policy\.harn-test\.toml/ },
  { name: "init again", script: `${harn} init --yes`, expect: /stays as it is/ },
  {
    name: "add",
    script: `${harn} add @hooks/output-cap`,
    expect: /capabilities {2}fs:read, fs:write.*binds @hooks\/output-cap now/s,
  },
  { name: "validate", script: `${harn} validate --allow-warnings`, expect: undefined },
  { name: "list", script: `${harn} list`, expect: /PreToolUse {2}gate\n +10 .*@hooks\/command-guard::guard \d/ },
  { name: "explain", script: `${harn} explain --tool Bash --arg command='rm -rf /'`, expect: /^BLOCK: /m },
  { name: "test", script: `${harn} test`, expect: /2 of 2 cases hold/ },
  { name: "run", script: `echo '${CALL}' | ${harn} run --tape session.jsonl`, expect: /"verdict":"block"/ },
  { name: "replay", script: `${harn} replay session.jsonl`, expect: undefined },
  { name: "doctor", script: `${harn} doctor`, expect: /no problems/ },
  {
    name: "remove",
    script: `${harn} remove @hooks/output-cap && ! grep -q output-cap harn.toml package.json`,
    expect: undefined,
  },
];
