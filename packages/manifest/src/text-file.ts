import { lstat, readFile, stat } from "./disk.js";
import type { Problem, ProblemCode } from "./problem.js";

const MAX_BYTES = 1024 * 1024;

/** The text of a file, its line ends made one, and the problem that keeps it from being read; then the text may be empty. */
export type TextRead = { readonly text: string } | { readonly problem: Problem; readonly text: string };

/** Reads a text file somebody wrote: no device, not endless, and UTF-8. `name` is what messages call it. */
export async function readText(path: string, name: string, code: ProblemCode): Promise<TextRead> {
  const isManifest = code === "HARN_E_MANIFEST_READ";
  const what = isManifest ? "the manifest" : "the hook";
  const refuse = (message: string, help: string, line = 1, column = 1, text = ""): TextRead => ({
    problem: { code, severity: "error", message, place: { file: name, line, column, length: 1 }, help },
    text,
  });
  let bytes: Buffer;
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return refuse(`${name} is a directory`, `Put ${what} in a file of this name.`);
    if (!stats.isFile()) return refuse(`${name} is not a file`, `Put ${what} in a file of this name.`);
    if (stats.size > MAX_BYTES)
      return refuse(`${name} is larger than 1 MiB`, "Move hooks into packages, or into files.");
    bytes = await readFile(path);
  } catch (error) {
    const { code: reason, message } = error as NodeJS.ErrnoException;
    if (reason === "ELOOP") return refuse(`${name} is a link that leads back to itself`, "Repair the link.");
    if (reason !== "ENOENT") return refuse(`${name} cannot be read: ${message}`, "Check that it may be read.");
    if (await isLink(path)) return refuse(`${name} is a link to a file that does not exist`, "Repair the link.");
    return refuse(`${name} does not exist`, isManifest ? "Run `harn init` to make one, or name another." : "Make it.");
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n") };
  } catch {
    const [line, column] = firstInvalid(bytes);
    const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
    return refuse(`${name} is not UTF-8`, "Save it as UTF-8.", line, column, text);
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

/** Where the longest part that is UTF-8 ends. */
function firstInvalid(bytes: Buffer): [line: number, column: number] {
  let [valid, invalid] = [0, bytes.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    // Streaming, so that a character cut in two at the end is not taken for a wrong one.
    if (isUtf8(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  const lines = new TextDecoder().decode(bytes.subarray(0, valid), { stream: true }).split("\n");
  return [lines.length, (lines.at(-1)?.length ?? 0) + 1];
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
