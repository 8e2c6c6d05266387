import { createHash, randomBytes } from "node:crypto";
import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensurePrivateDirectory, stateDirectory } from "@hooks/tape";
import { VERSION } from "../version.js";

/** How a server of this user is reached. */
export interface Presence {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly port: number;
  /** What every request must know; nobody else can read the file it stands in. */
  readonly token: string;
}

function directory(): string {
  return join(stateDirectory(), "serve");
}

/** What a socket may be called is short; a state directory may be deep. */
const LONGEST = 100;

export function socketPath(): string {
  const path = join(directory(), "harn.sock");
  if (Buffer.byteLength(path) <= LONGEST) return path;
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(tmpdir(), `harn-${process.geteuid?.() ?? ""}`, `${digest}.sock`);
}

/** The server this user has, as far as its file says; undefined when there is none, or the file is not to be trusted. */
export function findServer(): Presence | undefined {
  const file = join(directory(), "server.json");
  try {
    const { uid, mode } = lstatSync(file);
    if (process.platform !== "win32" && (uid !== process.geteuid?.() || (mode & 0o077) !== 0)) return undefined;
    return JSON.parse(readFileSync(file, "utf8")) as Presence;
  } catch {
    return undefined;
  }
}

export function announce(socket: string, port: number, token: string): Presence {
  ensurePrivateDirectory(stateDirectory());
  const presence: Presence = { pid: process.pid, version: VERSION, socket, port, token };
  const file = join(ensurePrivateDirectory(directory()), "server.json");
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(presence), { mode: 0o600, flag: "wx" });
  return presence;
}

/** Takes back what `announce` said, unless another server has spoken since. */
export function withdraw({ pid, socket }: Presence): void {
  if (findServer()?.pid === pid) rmSync(join(directory(), "server.json"), { force: true });
  rmSync(socket, { force: true });
}

export function prepareSocket(): string {
  ensurePrivateDirectory(stateDirectory());
  ensurePrivateDirectory(directory());
  const path = socketPath();
  ensurePrivateDirectory(dirname(path));
  return path;
}

export function newToken(): string {
  return randomBytes(24).toString("base64url");
}
