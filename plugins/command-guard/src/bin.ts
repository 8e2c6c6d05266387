#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Dialect, type Explanation, explain, explanationText } from "./index.js";

const USAGE = `usage: command-guard [--options FILE.json] [--cwd DIR] [--dialect posix|powershell|cmd] [--json] COMMAND

Shows what the guard makes of a command: what it would run, and the rule that decides. Nothing is run.
Exit code: 0 allowed, 1 blocked or asked, 64 usage.`;

/** Runs the command line; its exit code. */
function main(args: readonly string[]): number {
  let parsed: ReturnType<typeof read>;
  try {
    parsed = read(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 64;
  }
  const { values, positionals } = parsed;
  const [command] = positionals;
  if (values.help || command === undefined || positionals.length > 1) {
    (values.help ? console.log : console.error)(USAGE);
    return values.help ? 0 : 64;
  }
  const explanation: Explanation = explain(command, {
    with_off: true,
    ...(values.options === undefined ? {} : (JSON.parse(readFileSync(values.options, "utf8")) as object)),
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
    ...(values.dialect === undefined ? {} : { dialect: values.dialect as Dialect }),
  });
  console.log(values.json ? JSON.stringify(explanation, null, 2) : explanationText(command, explanation));
  return explanation.verdict === "allow" || explanation.verdict === "warn" ? 0 : 1;
}

function read(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      options: { type: "string" },
      cwd: { type: "string" },
      dialect: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
}

process.exitCode = main(process.argv.slice(2));
