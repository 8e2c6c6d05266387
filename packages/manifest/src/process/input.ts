import { randomBytes } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A text as a file without a name, open for reading: the standard input of a program. Node's own pipes are sockets, which
 * cannot be opened as `/dev/stdin`, and scripts do that; and nobody waits for a program that does not read.
 */
export function openInput(text: string): number {
  const path = join(tmpdir(), `harn-${randomBytes(12).toString("hex")}`);
  const writer = openSync(path, "wx", 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) written += writeSync(writer, bytes, written);
    return openSync(path, "r");
  } finally {
    closeSync(writer);
    // It holds what an agent is about to do: from here on only those who have it open can read it.
    unlinkSync(path);
  }
}
