import { parseArgs } from "node:util";
import { nearest } from "@hooks/core";
import { type CliError, usage } from "./exit.js";
import type { Flag, Flags, Given, Verb } from "./verb.js";

/** Reads what stands behind a verb; throws a usage error that says what was probably meant. */
export function readArguments(name: string, verb: Verb, args: readonly string[]): Given {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(verb.flags).map(([flag, { type, short }]) => [
        flag,
        short === undefined ? { type } : { type, short },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, (string | true)[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(verb.flags, token.name) ? verb.flags[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(name, token.rawName, verb.flags);
    values.set(token.name, [...(values.get(token.name) ?? []), readValue(name, token.rawName, flag, token)]);
  }
  checkWords(name, verb, words);
  return { flags: flagsOf(name, verb.flags, values), words };
}

function readValue(
  verb: string,
  rawName: string,
  flag: Flag,
  { value, inlineValue }: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
): string | true {
  if (flag.type === "boolean") {
    if (value !== undefined) throw usage(`${rawName} takes no value`, `write ${rawName} alone`);
    return true;
  }
  // `--manifest --json` is a forgotten value and not a file of that name; `--manifest=--json` says it is one.
  if (value === undefined || (value.startsWith("-") && value !== "-" && inlineValue !== true)) {
    throw usage(`${rawName} needs a value`, `harn ${verb} ${rawName} ${flag.value ?? "VALUE"}`);
  }
  if (flag.choices !== undefined && !flag.choices.includes(value)) {
    const near = nearest(value, flag.choices);
    throw usage(
      `${rawName} cannot be "${value}".${near === undefined ? "" : ` Did you mean "${near}"?`}`,
      `it takes ${flag.choices.join(", ")}`,
    );
  }
  return value;
}

function flagsOf(verb: string, flags: Flags, values: ReadonlyMap<string, readonly (string | true)[]>): Given["flags"] {
  const entries = Object.entries(flags).map(([name, { type, multiple }]) => {
    const given = values.get(name) ?? [];
    if (type === "boolean") return [name, given.length > 0] as const;
    if (multiple === true) return [name, given] as const;
    if (given.length > 1) throw usage(`--${name} is given ${given.length} times`, `harn ${verb} --help`);
    return [name, given[0]] as const;
  });
  return Object.fromEntries(entries) as Given["flags"];
}

function unknownFlag(verb: string, rawName: string, flags: Flags): CliError {
  const known = [...Object.keys(flags), "help"];
  const near = rawName.startsWith("--") ? nearest(rawName.slice(2), known) : undefined;
  const meant = near === undefined ? "" : ` Did you mean --${near}?`;
  return usage(`harn ${verb} has no flag ${rawName}.${meant}`, `harn ${verb} --help`);
}

function checkWords(name: string, { words: wanted, usage: line }: Verb, words: readonly string[]): void {
  const { least = 0, most = 0 } = wanted ?? {};
  if (words.length > most) throw usage(`harn ${name}: "${words[most]}" is one word too many`, `harn ${line}`);
  if (words.length < least)
    throw usage(`harn ${name} needs ${least === 1 ? "a word" : `${least} words`} more`, `harn ${line}`);
}
