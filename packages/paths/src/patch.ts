/** The files a patch touches: of `*** Update File:` headers, and of unified diffs. */
export function filesOfPatch(text: string): string[] {
  const files = new Set<string>();
  for (const line of text.split("\n")) {
    const [, begun] = /^\s*\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$/.exec(line) ?? [];
    const [, moved] = /^\s*\*\*\* Move to: (.+?)\s*$/.exec(line) ?? [];
    const [, diffed] = /^(?:---|\+\+\+) (?:"?)([^\t"]+?)"?(?:\t.*)?\s*$/.exec(line) ?? [];
    const [, renamed] = /^(?:rename|copy) (?:from|to) (.+?)\s*$/.exec(line) ?? [];
    for (const file of [begun, moved, renamed]) if (file !== undefined) files.add(file);
    if (diffed !== undefined && diffed !== "/dev/null") {
      files.add(diffed);
      // git puts a letter before both names, which is no directory.
      if (/^[ab]\//.test(diffed)) files.add(diffed.slice(2));
    }
  }
  return [...files];
}
