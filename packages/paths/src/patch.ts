/**
 * The files a patch touches: of `*** Update File:` headers, and of diffs. `strip` is how many directories are taken off
 * a name, as `patch -p` says; null when only the letter goes that git puts before both names.
 */
export function filesOfPatch(text: string, strip: number | null = null): string[] {
  const files = new Set<string>();
  for (const line of text.split("\n")) {
    const [, named] = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to):\s*(.+?)\s*$/.exec(line) ?? [];
    const [, renamed] = /^(?:rename|copy) (?:from|to) (.+?)\s*$/.exec(line) ?? [];
    for (const file of [named, renamed]) if (file !== undefined) files.add(file);
    if (named !== undefined || /^\s*\*\*\* (?:Begin|End) /.test(line)) continue;
    const [, diffed] = /^(?:---|\+\+\+|\*\*\*|Index:) "?([^\t"]+?)"?(?:\t.*)?\s*$/.exec(line) ?? [];
    const [, before, after] = /^diff --git "?(a\/.+?)"? "?(b\/.+?)"?\s*$/.exec(line) ?? [];
    for (const file of [diffed, before, after]) {
      if (file === undefined || file === "/dev/null") continue;
      files.add(file);
      const count = strip ?? (/^[abciow]\//.test(file) ? 1 : 0);
      const rest = file.split(/\/+/).slice(count).join("/");
      if (rest !== "") files.add(rest);
    }
  }
  return [...files];
}
