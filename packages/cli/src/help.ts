import type { Paint } from "./terminal.js";
import type { Flag, Flags, Verb } from "./verb.js";
import { GROUPS, verbs } from "./verbs.js";

/** The page of `harn --help`. */
export function overview(paint: Paint): string {
  const width = Math.max(...Object.keys(verbs).map((name) => name.length)) + 2;
  const listed = GROUPS.map((group) => {
    const own = Object.entries(verbs).filter(([, entry]) => entry.group === group);
    const lines = own.map(([name, { summary }]) => `  ${paint("cyan", name.padEnd(width))}${summary}`);
    return `${paint("bold", group)}\n${lines.join("\n")}`;
  });
  return `${paint("bold", "harn")}: hooks for AI agents, declared in harn.toml

${listed.join("\n\n")}

${paint("bold", "Flags of all of them")}
  --help     what the verb does, with examples
  --json     machine-readable output (\`run\` always is)
  --version  the version of harn

${paint("bold", "Exit codes")}
  0 fine · 1 findings · 2 a veto of \`hook\` · 64 usage · 65 bad manifest or data · 70 internal · 74 tape or file I/O
  77 not trusted, or not what was locked

harn <verb> --help has two examples of each.`;
}

/** The page of `harn <verb> --help`. */
export function page({ usage, about, flags, examples }: Verb, paint: Paint): string {
  const shown = examples.map(({ command, shows }) => `  ${paint("dim", `# ${shows}`)}\n  ${command}`);
  return `${paint("bold", "Usage")}
  harn ${usage}

${about}

${paint("bold", "Flags")}
${flagLines(flags, paint)}

${paint("bold", "Examples")}
${shown.join("\n\n")}`;
}

function flagLines(flags: Flags, paint: Paint): string {
  const all = Object.entries<Flag>({ ...flags, help: { type: "boolean", short: "h", about: "this page" } });
  const names = all.map(([name, { short, value }]) => {
    const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
    return short === undefined ? long : `${long}, -${short}`;
  });
  const width = Math.max(...names.map((name) => name.length)) + 2;
  return all.map(([, { about }], index) => `  ${paint("cyan", (names[index] ?? "").padEnd(width))}${about}`).join("\n");
}
