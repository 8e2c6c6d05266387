import { relative } from "node:path";
import { lintStack, type Problem } from "@hooks/manifest";
import { EXIT } from "../exit.js";
import { FORMATS, type Format } from "../formats.js";
import { exitFor, inspectPolicy } from "../policy.js";
import type { Host } from "../terminal.js";
import { isTrusted } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "validate [--manifest FILE] [--format text|json|sarif|github|junit] [--allow-warnings]",
  about: `Checks the whole policy and reports everything at once, each with its line: what keeps it from loading (exit 65), and
what is probably not meant (exit 1): dead and shadowed hooks, duplicate bindings, vetoes on events that honour none,
missing priorities, settings without effect.`,
  flags: {
    ...POLICY_FLAGS,
    format: {
      type: "string",
      value: "NAME",
      choices: ["text", "json", "sarif", "github", "junit"],
      about: "text, json, sarif (code scanning), github (annotations), junit (CI)",
    },
    "allow-warnings": { type: "boolean", about: "exit 0 when there are only warnings" },
  },
  examples: [
    { command: "harn validate", shows: "every problem, with the line it is on" },
    { command: "harn validate --format sarif > harn.sarif", shows: "for code scanning" },
  ],
  async run({ flags }, { host, print, talk }) {
    const format: Format = flags.format ?? (flags.json ? "json" : "text");
    const found = await check(host, flags.manifest);
    const errors = found.problems.filter(({ severity }) => severity === "error").length;
    const warnings = found.problems.length - errors;
    const output = FORMATS[format](found);
    if (output !== "") print(output);
    if (format === "text") talk(summary(found.name, errors, warnings));
    if (format === "text" && errors === 0 && !(await isTrusted(host, flags.manifest))) {
      talk("Nothing of it was run, because it is not trusted: whether its modules load was not checked (harn trust).");
    }
    if (errors > 0) return exitFor(found.problems);
    return warnings === 0 || flags["allow-warnings"] ? EXIT.fine : EXIT.findings;
  },
});

async function check(host: Pick<Host, "cwd" | "env">, manifest: string | undefined) {
  const { cwd } = host;
  const result = await inspectPolicy(host, manifest);
  const path = result.ok ? result.stack.manifest : result.manifest;
  // Without a manifest, the hooks that are files are the policy.
  const name = path === null ? ".harness" : relative(cwd, path) || path;
  if (!result.ok) return { name, text: result.text, problems: result.problems };
  result.stack.close();
  const { hooks, warnings } = result.stack;
  const text = typeof result.text === "string" ? result.text : (result.text.get(name) ?? "");
  const lints = await lintStack({ hooks, file: name, text });
  const problems = [...warnings, ...lints].sort(
    ({ place: a }: Problem, { place: b }: Problem) =>
      byFile(a.file, b.file, name) || a.line - b.line || a.column - b.column,
  );
  return { name, text: result.text, problems };
}

/** The manifest first, then file by file. */
function byFile(a: string, b: string, manifest: string): number {
  if (a === b) return 0;
  return a === manifest || (b !== manifest && a < b) ? -1 : 1;
}

function summary(name: string, errors: number, warnings: number): string {
  if (errors + warnings === 0) return `${name}: no problems`;
  const count = (n: number, what: string) => (n === 0 ? [] : [`${n} ${what}${n === 1 ? "" : "s"}`]);
  return `\n${name}: ${[...count(errors, "error"), ...count(warnings, "warning")].join(", ")}`;
}
