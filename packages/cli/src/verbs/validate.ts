import { relative } from "node:path";
import { lintStack, loadStack, type Problem } from "@hooks/manifest";
import { EXIT } from "../exit.js";
import { FORMATS, type Format } from "../formats.js";
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
    const found = await check(host.cwd, flags.manifest);
    const errors = found.problems.filter(({ severity }) => severity === "error").length;
    const warnings = found.problems.length - errors;
    const output = FORMATS[format](found);
    if (output !== "") print(output);
    if (format === "text") talk(summary(found.name, errors, warnings));
    if (errors > 0) return EXIT.data;
    return warnings === 0 || flags["allow-warnings"] ? EXIT.fine : EXIT.findings;
  },
});

async function check(cwd: string, manifest: string | undefined) {
  let result = await loadStack({ cwd, ...(manifest === undefined ? {} : { manifest }) });
  // No manifest at all is a mistake here: asked for by name, it is reported as one.
  if (result.ok && result.stack.manifest === null && result.stack.hooks.length === 0) {
    result = await loadStack({ cwd, manifest: "harn.toml" });
  }
  const path = result.ok ? result.stack.manifest : result.manifest;
  const name = path === null ? "harn.toml" : relative(cwd, path) || path;
  if (!result.ok) return { name, text: result.text, problems: result.problems };
  result.stack.close();
  const { hooks, warnings } = result.stack;
  const text = typeof result.text === "string" ? result.text : (result.text.get(name) ?? "");
  const lints = path === null ? [] : await lintStack({ hooks, file: name, text });
  const problems = [...warnings, ...lints].sort(
    (a: Problem, b: Problem) => a.place.line - b.place.line || a.place.column - b.place.column,
  );
  return { name, text: result.text, problems };
}

function summary(name: string, errors: number, warnings: number): string {
  if (errors + warnings === 0) return `${name}: no problems`;
  const count = (n: number, what: string) => (n === 0 ? [] : [`${n} ${what}${n === 1 ? "" : "s"}`]);
  return `\n${name}: ${[...count(errors, "error"), ...count(warnings, "warning")].join(", ")}`;
}
