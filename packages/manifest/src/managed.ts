import { join } from "node:path";
import { lstat } from "./disk.js";
import { MANIFEST } from "./find.js";

/**
 * The manifests of whoever manages this machine: the one that is installed for all of it, and the one HARN_MANAGED
 * names. The variable adds to the file and never takes its place, because every process can set a variable.
 */
export async function findManaged(env: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const machine = join(directoryOf(env), MANIFEST);
  const named = env.HARN_MANAGED;
  return [...((await isThere(machine)) ? [machine] : []), ...(named === undefined || named === "" ? [] : [named])];
}

function directoryOf({ ProgramData = "C:\\ProgramData" }: NodeJS.ProcessEnv): string {
  if (process.platform === "win32") return join(ProgramData, "Harn");
  return process.platform === "darwin" ? "/Library/Application Support/Harn" : "/etc/harn";
}

/** Also what cannot be read is there: a policy nobody can read must not be passed over. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
