import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type EventName, harn, isJsonObject, type JsonObject, messageOf, nearest, typeName } from "@hooks/core";
import { parseToml, TomlError } from "@hooks/manifest";
import { readRequest } from "./answer.js";
import { CliError, EXIT } from "./exit.js";

/** One row of a table test: an event, and what must come of it. */
export interface Row {
  readonly name: string;
  readonly event: EventName;
  readonly payload: JsonObject;
  readonly expect: Expectation;
}

export interface Expectation {
  readonly verdict?: string;
  /** A part of the reason. */
  readonly reason?: string;
  /** The id of the hook that decides. */
  readonly by?: string;
  /** Payload paths, and what hooks must have made of them. */
  readonly modified?: JsonObject;
}

const ROW_KEYS = ["name", "event", "payload", "tool", "args", "expect"];
const EXPECT_KEYS: Readonly<Record<string, string>> = {
  verdict: "string",
  reason: "string",
  by: "string",
  modified: "object",
};
const VERDICTS = ["allow", "ask", "block"];

/** The table tests below a directory. */
export async function findTables(home: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(home, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === ".git") continue;
    const path = join(home, entry.name);
    if (entry.isDirectory()) found.push(...(await findTables(path)));
    else if (entry.name.endsWith(".harn-test.toml")) found.push(path);
  }
  return found.sort();
}

/** Reads a `*.harn-test.toml`. A row that tests nothing, or has a key nobody reads, is an error: it would pass for ever. */
export async function readTable(path: string, name: string): Promise<Row[]> {
  try {
    const table = await parseToml((await readFile(path, "utf8")).replaceAll("\r\n", "\n"));
    onlyKeys(table, ["cases"], "the file");
    if (!Array.isArray(table.cases) || table.cases.length === 0) throw new Error("it has no [[cases]]");
    return table.cases.map((row: unknown, index) => readRow(row, index + 1));
  } catch (error) {
    const place = error instanceof TomlError ? `:${error.line}:${error.column}` : "";
    const help =
      "a case has name, event with payload (or tool with args), and expect with verdict, reason, by, modified";
    throw new CliError("HARN_E_TEST_FILE", EXIT.data, `${name}${place}: ${messageOf(error)}`, help);
  }
}

function readRow(row: unknown, number: number): Row {
  const what = `case ${number}`;
  if (!isJsonObject(row)) throw new Error(`${what} must be a table, got ${typeName(row)}`);
  onlyKeys(row, ROW_KEYS, what);
  const { name = what, event = "PreToolUse", payload, tool, args } = row;
  if (typeof name !== "string") throw new Error(`${what}: name must be a text, got ${typeName(name)}`);
  if ((payload === undefined) === (tool === undefined))
    throw new Error(`${what} needs a payload or a tool, one of the two`);
  if (payload !== undefined && args !== undefined) throw new Error(`${what}: args belong to a tool`);
  const given = payload ?? { tool: { name: tool ?? "", args: args ?? {} } };
  return { name, ...readRequest({ event, payload: given }, harn), expect: readExpectation(row.expect, what) };
}

function readExpectation(value: unknown, what: string): Expectation {
  if (!isJsonObject(value) || Object.keys(value).length === 0) throw new Error(`${what} expects nothing`);
  onlyKeys(value, Object.keys(EXPECT_KEYS), `${what}, expect`);
  for (const [key, item] of Object.entries(value)) {
    const isRight = EXPECT_KEYS[key] === "object" ? isJsonObject(item) : typeof item === "string";
    if (!isRight)
      throw new Error(
        `${what}: expect.${key} must be ${EXPECT_KEYS[key] === "object" ? "a table" : "a text"}, got ${typeName(item)}`,
      );
  }
  const { verdict } = value;
  if (verdict !== undefined && !VERDICTS.includes(String(verdict)))
    throw new Error(`${what}: expect.verdict must be allow, ask or block`);
  return value as Expectation;
}

function onlyKeys(table: object, keys: readonly string[], what: string): void {
  const stray = Object.keys(table).find((key) => !keys.includes(key));
  if (stray === undefined) return;
  const near = nearest(stray, keys);
  throw new Error(`unknown key "${stray}" in ${what}${near === undefined ? "" : `, did you mean "${near}"?`}`);
}
