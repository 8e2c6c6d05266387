import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTape, recoverTape, replayTape, verifyTape } from "@hooks/tape";

const WRITER = fileURLToPath(new URL("writer.mjs", import.meta.url));
const SYNCS = ["outcome", "group", "none"];

export interface CrashReport {
  readonly kills: number;
  /** Outcomes the killed processes had been handed. */
  readonly acknowledged: number;
  /** Tapes that ended in the middle of a record. */
  readonly torn: number;
  readonly failures: readonly string[];
}

/** Kills writers at random moments, and looks for every outcome they were handed on what is left of their tapes. */
export async function crash(kills: number, random: () => number): Promise<CrashReport> {
  const directory = mkdtempSync(join(tmpdir(), "harn-crash-"));
  const failures: string[] = [];
  let acknowledged = 0;
  let torn = 0;
  try {
    for (let kill = 0; kill < kills; kill++) {
      const sync = SYNCS[kill % SYNCS.length] as string;
      const [file = "", ...handed] = (await writeUntilKilled(directory, sync, random() * 60)).split("\n");
      if (file === "") continue;
      // The last line may be cut, and then nobody was told.
      const told = handed.slice(0, -1);
      acknowledged += told.length;
      const fail = (what: string) => failures.push(`kill ${kill} (${sync}): ${what}`);
      const found = await verifyTape(file).catch(() => null);
      if (found === null || (found.records === 0 && told.length === 0)) continue;
      if (!found.intact) fail(found.messages.join("; "));
      if (found.torn !== null) {
        torn++;
        if (recoverTape(file).cut !== found.torn.bytes) fail("the tail was not cut where it is torn");
      }
      const kept = outcomesOf(file);
      const lost = told.filter((line) => !kept.has(line));
      if (lost.length > 0) fail(`${lost.length} of ${told.length} outcomes are not on the tape: ${lost[0]}`);
      const { identical, divergences } = await replayTape(file);
      if (!identical) fail(`its tape replays otherwise: ${divergences[0]?.message}`);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return { kills, acknowledged, torn, failures };
}

/** Everything a writer says until it is killed, so many milliseconds after it has opened its tape. */
function writeUntilKilled(directory: string, sync: string, milliseconds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WRITER, directory, sync], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (said === "") setTimeout(() => child.kill("SIGKILL"), milliseconds);
      said += text;
    });
    child.on("error", reject).on("close", () => resolve(said));
  });
}

function outcomesOf(file: string): Set<string> {
  const commands = new Map<number, unknown>();
  const outcomes = new Set<string>();
  for (const { record } of readTape(file)) {
    if (record.kind === "event") {
      commands.set(
        record.dispatch,
        (record.payload as { tool?: { args?: { command?: unknown } } }).tool?.args?.command,
      );
    }
    if (record.kind === "outcome") outcomes.add(`${record.verdict} ${commands.get(record.dispatch)}`);
  }
  return outcomes;
}
