import { lstatSync } from "node:fs";

// A file that was changed just now may be changed again without another time.
const RECENT_MS = 1_000;

/**
 * When each file that was looked at last changed, by its inode. Nobody without the rights of an administrator can set
 * that back, so that what is exchanged and put back afterwards is found too.
 */
export class Stamps {
  private readonly known = new Map<string, string>();
  private readonly since = Date.now() - RECENT_MS;
  /** Whether anything changed so recently that its stamp tells nothing. */
  isRecent = false;

  note(path: string): { readonly text: string; readonly isRecent: boolean } {
    const { text, changed } = stampOf(path);
    this.known.set(path, text);
    const isRecent = changed > this.since;
    if (isRecent) this.isRecent = true;
    return { text, isRecent };
  }

  /** The first of them that was touched since; undefined when none was. */
  findTouched(): string | undefined {
    for (const [path, text] of this.known) if (stampOf(path).text !== text) return path;
    return undefined;
  }
}

function stampOf(path: string): { readonly text: string; readonly changed: number } {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { text: "gone", changed: 0 };
  const { dev, ino, size, ctimeMs } = found;
  return { text: `${dev} ${ino} ${size} ${ctimeMs}`, changed: ctimeMs };
}
