import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Sink } from "./queue.js";
import type { Settings } from "./settings.js";

type FileOptions = Pick<Settings, "path" | "sync" | "max_bytes" | "max_age_hours" | "max_files">;

// Not blocking: what waits under this name as a pipe would otherwise keep a thread for ever. No link is followed.
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const HOUR_MS = 3_600_000;

/**
 * Appends lines to a file that is begun anew when it is too large or too old. Several processes may write to the same
 * one: each line is appended in one step, and whoever finds that another process has begun a new file goes on with it.
 */
export class FileSink implements Sink {
  private handle: FileHandle | null = null;

  constructor(private readonly options: FileOptions) {}

  async write(lines: readonly string[]): Promise<void> {
    try {
      const file = await this.current();
      await writeAll(file, Buffer.from(lines.join("")));
      if (this.options.sync === "always") await file.datasync();
    } catch (error) {
      // Whatever state it is in: the next line finds out.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = null;
    await handle?.close().catch(() => {});
  }

  /** The file to write to now: still the one with the name, not too large, not too old. */
  private async current(): Promise<FileHandle> {
    const { path, max_bytes, max_age_hours = Number.POSITIVE_INFINITY } = this.options;
    for (;;) {
      const handle = this.handle ?? (await this.open());
      const [mine, named] = await Promise.all([handle.stat(), stat(path).catch(() => null)]);
      if (named === null || named.ino !== mine.ino || named.dev !== mine.dev) {
        await this.close();
        continue;
      }
      const isOld = Date.now() - mine.birthtimeMs > max_age_hours * HOUR_MS;
      if (mine.size === 0 || (mine.size < max_bytes && !isOld)) return handle;
      await this.rotate();
    }
  }

  private async open(): Promise<FileHandle> {
    const { path, sync } = this.options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, FLAGS, 0o600);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new Error(`${path} is no regular file`);
      await endTornLine(handle, found.size);
      if (found.size === 0 && sync === "always") await syncDirectory(dirname(path));
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.handle = handle;
    return handle;
  }

  private async rotate(): Promise<void> {
    const { path, max_files } = this.options;
    await this.close();
    const directory = dirname(path);
    const [, stem = "", extension = ""] = /^(.*?)(\.[^.]*)?$/.exec(basename(path)) ?? [];
    const time = new Date().toISOString().replaceAll(":", "-");
    const isOurs = (name: string) =>
      name.startsWith(`${stem}-`) &&
      /^\d{4}-\d\d-\d\dT[\d.-]+Z-\d+-\d+$/.test(name.slice(stem.length + 1, name.length - extension.length));
    // A name nobody has: what a rename hits is gone.
    await rename(path, join(directory, `${stem}-${time}-${process.pid}-${rotations++}${extension}`)).catch(ifMissing);
    const ended = (await readdir(directory)).filter(isOurs).sort();
    for (const old of ended.slice(0, -max_files)) await rm(join(directory, old), { force: true });
  }
}

let rotations = 0;

// Another process has renamed it already.
function ifMissing(error: unknown): void {
  if ((error as { code?: string }).code !== "ENOENT") throw error;
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** A process that was killed, or a disk that was full, may leave half a line: the next one must not be glued to it. */
async function endTornLine(file: FileHandle, size: number): Promise<void> {
  if (size === 0) return;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last[0] !== 0x0a) await file.write("\n");
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
