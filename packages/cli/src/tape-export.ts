import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "@hooks/core";
import { CliError, EXIT, type Exit } from "./exit.js";
import { type Selection, selectDispatches, singleTape } from "./tape-show.js";
import { findTape, rowOf } from "./tapes.js";
import type { Terminal } from "./terminal.js";

interface ExportFlags extends Selection {
  readonly format: "jsonl" | "csv" | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

type Row = ReturnType<typeof rowOf>;

const COLUMNS = ["time", "session", "event", "subject", "verdict", "by", "reason", "modified", "duration_ms"] as const;

/** Writes a row for each dispatch, as lines of JSON or comma-separated. */
export async function exportTape(words: readonly string[], flags: ExportFlags, terminal: Terminal): Promise<Exit> {
  const { host, print, json, talk } = terminal;
  const file = findTape(singleTape(words, "export"), host);
  const output = flags.out === undefined ? null : openOutput(resolve(host.cwd, flags.out));
  const write = (line: string) => (output === null ? print(line) : writeSync(output, `${line}\n`));
  let rows = 0;
  try {
    if (flags.format === "csv") write(COLUMNS.join(","));
    for (const dispatched of selectDispatches(file, flags)) {
      const row = rowOf(dispatched);
      write(flags.format === "csv" ? csvLine(row) : JSON.stringify(row));
      rows++;
    }
  } finally {
    if (output !== null) closeSync(output);
  }
  if (output !== null && flags.json) json({ ok: true, tape: file, out: flags.out, rows });
  else if (output !== null) talk(`${flags.out}: ${rows} ${rows === 1 ? "row" : "rows"}`);
  return EXIT.fine;
}

function openOutput(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    throw new CliError(
      "HARN_E_FILE_WRITE",
      EXIT.io,
      `${path} cannot be written: ${messageOf(error)}`,
      "name a file that does not exist",
    );
  }
}

function csvLine(row: Row): string {
  return COLUMNS.map((column) => cell(row[column])).join(",");
}

// A cell that begins like a formula would be one: what an agent wrote must not run in somebody's spreadsheet.
function cell(value: string | number | boolean | null): string {
  const text = value === null ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
