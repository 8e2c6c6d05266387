import { readFind, type SimpleCommand } from "@hooks/shell";
import { guessUses } from "./guess.js";
import type { Collector } from "./shell.js";

/** The directories `find` and `fd` go through, and the files they write what they found to. */
export function findUses({ argv, program }: SimpleCommand, collector: Collector): void {
  const { take } = collector;
  const by = program ?? "find";
  if (/^fd/.test(by)) {
    const end = argv.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text ?? ""));
    return guessUses(by, argv.slice(1, end === -1 ? argv.length : end), collector);
  }
  const { starts } = readFind(argv);
  const isDeleting = argv.some(({ text }) => text === "-delete");
  const isFollowing = argv.some(({ text }) => /^-(?:L|follow)$|^--follow$/.test(text ?? ""));
  const reach = isFollowing ? "links" : isDeleting ? "tree" : "one";
  for (const start of starts) take(start, isDeleting ? "write" : "read", by, reach);
  for (const [place, { text }] of argv.entries()) {
    const value = argv[place + 1];
    if (value === undefined) continue;
    if (/^-f(?:print0?|printf|ls)$/.test(text ?? "")) take(value, "write", `find ${text}`);
    if (/^-{1,2}(?:newer\w*|samefile|files0-from)$/.test(text ?? "")) take(value, "read", `find ${text}`);
  }
}
