import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Content } from "./content.js";
import { sha256 } from "./sha256.js";

/** What was trusted, and where. */
export interface TrustRecord {
  readonly digest: string;
  readonly root: string;
  readonly at: string;
  /** The hash of each file, by its name from the root. */
  readonly files: Readonly<Record<string, string>>;
  readonly packages: readonly string[];
}

/**
 * The contents somebody trusted on this machine, outside of every workspace. Content is trusted, and not a place: what was
 * changed is another content, and the same content elsewhere is the same.
 */
export class TrustStore {
  constructor(private readonly directory: string) {}

  has(digest: string): boolean {
    return /^[0-9a-f]{64}$/.test(digest) && existsSync(this.recordOf(digest));
  }

  /** Remembers a content, and what to compare the next one of this project with. */
  add(content: Content, root: string, now: Date): void {
    for (const directory of [this.directory, join(this.directory, "contents"), join(this.directory, "files")]) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    }
    chmodSync(this.directory, 0o700);
    const files = [...content.files].map(([name, bytes]) => [name, sha256(bytes)] as const);
    for (const [name, hash] of files) writePrivate(join(this.directory, "files", hash), content.files.get(name) ?? "");
    const { digest, packages } = content;
    const record: TrustRecord = { digest, root, at: now.toISOString(), files: Object.fromEntries(files), packages };
    writePrivate(this.recordOf(digest), `${JSON.stringify(record)}\n`);
    writePrivate(this.lastOf(root), `${digest}\n`);
  }

  /** Takes a content's trust back. */
  remove(digest: string): void {
    if (this.has(digest)) rmSync(this.recordOf(digest));
  }

  /** What was last trusted in a place; null when nothing was. */
  last(root: string): TrustRecord | null {
    try {
      const digest = readFileSync(this.lastOf(root), "utf8").trim();
      return JSON.parse(readFileSync(this.recordOf(digest), "utf8")) as TrustRecord;
    } catch {
      return null;
    }
  }

  /** A file as it was when it was trusted. */
  read(hash: string): string {
    try {
      return readFileSync(join(this.directory, "files", hash), "utf8");
    } catch {
      return "";
    }
  }

  private recordOf(digest: string): string {
    return join(this.directory, "contents", digest);
  }

  private lastOf(root: string): string {
    return join(this.directory, `last-${sha256(root)}`);
  }
}

function writePrivate(path: string, text: string | Uint8Array): void {
  writeFileSync(path, text, { mode: 0o600 });
}
