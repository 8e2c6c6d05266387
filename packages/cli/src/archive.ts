import { createHash } from "node:crypto";
import { Parser, type ReadEntry } from "tar";

/** The hash of every file of a package's archive, by its path in the package. */
export async function hashArchive(bytes: Uint8Array): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({ onReadEntry: (entry) => note(entry) });
    const note = (entry: ReadEntry) => {
      const hash = createHash("sha256");
      entry.on("data", (chunk) => hash.update(chunk));
      // Everything lies in one directory, whatever it is called.
      entry.on("end", () => {
        if (entry.type === "File" || entry.type === "OldFile") {
          files.set(entry.path.replace(/^[^/]*\//, ""), `sha256:${hash.digest("hex")}`);
        }
      });
    };
    parser.on("end", resolve);
    parser.on("error", reject);
    parser.end(Buffer.from(bytes));
  });
  return files;
}
