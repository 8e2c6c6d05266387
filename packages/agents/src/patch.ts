/** A file a patch touches; `content` is all of a new file, and null for one that is changed, moved or deleted. */
export interface PatchedFile {
  readonly path: string;
  readonly content: string | null;
}

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.*)$/;

/** The files of a patch in the `*** Begin Patch` format, in its order; a move is both of its paths. */
export function filesOfPatch(patch: string): PatchedFile[] {
  const files: { path: string; lines: string[] | null }[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, kind, path] = HEADER.exec(line.trimStart()) ?? [];
    if (path !== undefined) files.push({ path: path.trim(), lines: kind === "Add File" ? [] : null });
    else if (line.startsWith("+")) files.at(-1)?.lines?.push(line.slice(1));
  }
  return files.map(({ path, lines }) => ({ path, content: lines?.map((line) => `${line}\n`).join("") ?? null }));
}
