import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { sha256 } from "./sha256.js";
import type { Stamps } from "./stamps.js";

type Entry = readonly [stamp: string, hash: string];

/**
 * The hashes of files that did not change since they were last read. Reading and hashing all packages of a policy takes
 * several times as long as an answer; asking when they were changed takes a fraction of it, and nobody who could not
 * replace this program as well can set that back.
 */
export class HashCache {
  private readonly known: ReadonlyMap<string, Entry>;
  private readonly used = new Map<string, Entry>();
  private isNew = false;

  /** Without a file nothing is remembered. */
  constructor(private readonly file?: string) {
    this.known = file === undefined ? new Map() : readEntries(file);
  }

  hash(path: string, stamps: Stamps): string {
    const { text, isRecent } = stamps.note(path);
    const known = this.known.get(path);
    if (known?.[0] === text) {
      this.used.set(path, known);
      return known[1];
    }
    const hash = sha256(readFileSync(path));
    if (!isRecent) {
      this.used.set(path, [text, hash]);
      this.isNew = true;
    }
    return hash;
  }

  /** Writes down what was learnt. It is no loss when that fails. */
  save(): void {
    const { file } = this;
    if (file === undefined || !this.isNew) return;
    const draft = `${file}.${process.pid}`;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(draft, JSON.stringify([...this.used]), { mode: 0o600, flag: "wx" });
      renameSync(draft, file);
    } catch {
      rmSync(draft, { force: true });
    }
  }
}

/** What was written down by nobody but the owner, who is running this. */
function readEntries(file: string): Map<string, Entry> {
  try {
    const { uid, mode } = statSync(file);
    const isPrivate = process.platform === "win32" || (uid === process.getuid?.() && (mode & 0o077) === 0);
    return new Map(isPrivate ? (JSON.parse(readFileSync(file, "utf8")) as [string, Entry][]) : []);
  } catch {
    return new Map();
  }
}
