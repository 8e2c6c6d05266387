import { type CodeCall, foundBy, literal, readFind, type SimpleCommand, type Word } from "@hooks/shell";
import { argumentsOf, has, hasExactly, textsOf } from "./arguments.js";

/** What a command deletes, however it is called. */
export interface Deletion {
  readonly paths: readonly Word[];
  /** Whether whole trees go. */
  readonly recursive: boolean;
  /** Whether nothing is asked. */
  readonly force: boolean;
}

const known = new WeakMap<SimpleCommand, readonly Deletion[]>();
const NONE: readonly Deletion[] = [];

/** Everything a command deletes by itself. */
export function deletionsOf(command: SimpleCommand): readonly Deletion[] {
  const { program, code } = command;
  const read = program === null ? undefined : DELETERS.get(program);
  if (read === undefined && (code === null || code.calls.length === 0)) return NONE;
  const before = known.get(command);
  if (before !== undefined) return before;
  const found = [...(read?.(command) ?? []), ...(code?.calls.flatMap(deletedBy) ?? [])].map(withListed);
  known.set(command, found);
  return found;
}

/** `rm $(git ls-files)` deletes what is listed. */
function withListed(deletion: Deletion): Deletion {
  const paths = deletion.paths.flatMap((path) => {
    const [first] = path.pieces;
    if (path.pieces.length !== 1 || first?.kind !== "unknown") return [path];
    const listed = foundBy(first.from ?? []);
    return listed.length > 0 ? listed : [path];
  });
  // `find x -exec shred {} +`: every file of a tree is the tree.
  const recursive = deletion.recursive || paths.some(isWholeTree);
  return { ...deletion, paths, recursive };
}

function isWholeTree({ pieces }: Word): boolean {
  const last = pieces[pieces.length - 1];
  return last?.kind === "glob" && last.text === "**";
}

type Read = (command: SimpleCommand) => readonly Deletion[];

function remove(command: SimpleCommand): readonly Deletion[] {
  const { options, operands } = argumentsOf(command);
  const recursive = has(options, "-r", "-R", "--recursive") || has(options, "--no-preserve-root");
  return [{ paths: operands, recursive, force: has(options, "-f", "--force") }];
}

const everything: Read = (command) => [{ paths: argumentsOf(command).operands, recursive: true, force: true }];
const files: Read = (command) => [
  { paths: argumentsOf(command, { short: "ns" }).operands, recursive: false, force: true },
];

const DELETERS = new Map<string, Read>([
  ["rm", remove],
  ["grm", remove],
  ["srm", remove],
  ["rimraf", everything],
  ["del-cli", everything],
  ["unlink", files],
  ["shred", files],
  ["wipe", everything],
  ["find", find],
  ["gfind", find],
  ["rsync", mirror],
  ["mv", moveAway],
  ["gmv", moveAway],
  ["tar", removeArchived],
  ["zip", moveIntoArchive],
  ["7z", moveIntoArchive],
  ["7za", moveIntoArchive],
  ["trash", throwAway],
  ["trash-put", throwAway],
  ["rmtrash", throwAway],
  ["gio", throwAway],
  ["robocopy", robocopy],
  ["remove-item", removeItem],
  ["ri", removeItem],
  ["rename-item", renameItem],
  ["rni", renameItem],
  ["move-item", renameItem],
  ["del", commandDelete],
  ["erase", commandDelete],
  ["rd", commandDelete],
  ["rmdir", commandDelete],
  ["deltree", everything],
  ["sdelete", commandDelete],
]);

/** `find -delete` without a test deletes where it starts. */
function find({ argv }: SimpleCommand): readonly Deletion[] {
  const { starts, narrowed } = readFind(argv);
  return deletesFound(argv) && !narrowed ? [{ paths: starts, recursive: true, force: true }] : [];
}

/** Whether `-delete` is an action of `find` and not the value of a test or a word of `-exec`. */
export function deletesFound(argv: readonly Word[]): boolean {
  for (let i = 1; i < argv.length; i++) {
    const text = argv[i]?.text ?? "";
    if (text === "-delete") return true;
    if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      while (i < argv.length && argv[i]?.text !== ";" && argv[i]?.text !== "+") i++;
    } else if (
      /^-(i?name|i?path|i?regex|i?wholename|i?lname|type|newer\w*|user|group|perm|size|samefile|fprint|printf|regextype)$/.test(
        text,
      )
    )
      i++;
  }
  return false;
}

/** `rsync --delete` deletes in its destination what its source has not. */
function mirror(command: SimpleCommand): readonly Deletion[] {
  const { options, operands } = argumentsOf(command, {
    short: "efBMT",
    long: [
      "rsh",
      "exclude",
      "include",
      "filter",
      "exclude-from",
      "include-from",
      "files-from",
      "backup-dir",
      "max-delete",
    ],
  });
  if (hasExactly(options, "-n", "--dry-run", "--list-only")) return NONE;
  if (has(options, "--remove-source-files"))
    return [
      { paths: operands.slice(0, -1).filter(({ text }) => !/^[^/]*:/.test(text ?? "")), recursive: true, force: true },
    ];
  if (!options.some(({ name }) => /^--(del|delete(-\w+)*)$/.test(name))) return NONE;
  const target = operands[operands.length - 1];
  if (target === undefined || operands.length < 2 || /^[^/]*:/.test(target.text ?? "")) return NONE;
  const isEmpty = operands.slice(0, -1).every((word) => isEmptyDirectory(word));
  return [{ paths: [target], recursive: true, force: isEmpty }];
}

/** A directory that was made to be empty. */
function isEmptyDirectory({ text, pieces }: Word): boolean {
  const [first] = pieces;
  if (first?.kind === "unknown") return first.from?.some(({ program }) => program === "mktemp") === true;
  return /(^|[/_.-])(empty|blank|void|null|nothing)([/_.-]|$)/i.test(text ?? "");
}

/** `mv x /dev/null` is a way to delete. */
function moveAway(command: SimpleCommand): readonly Deletion[] {
  const { options, operands } = argumentsOf(command, { short: "tS", long: ["target-directory", "suffix"] });
  const given = options.find(({ name }) => name === "-t" || name === "--target-directory")?.value;
  const paths = given == null ? operands.slice(0, -1) : operands;
  const target = given ?? operands[operands.length - 1];
  const force = target?.text === "/dev/null";
  // `mv * ../archive/` puts files elsewhere; only a directory that is moved whole is missed where it was.
  const gone = force ? paths : paths.filter(({ pieces }) => pieces.every(({ kind }) => kind !== "glob"));
  return [{ paths: gone, recursive: true, force }];
}

function removeArchived(command: SimpleCommand): readonly Deletion[] {
  const { options, operands } = argumentsOf(command, { short: "fCTXbgHKLNV", long: ["file", "directory", "exclude"] });
  return has(options, "--remove-files") ? [{ paths: operands, recursive: true, force: true }] : NONE;
}

/** `zip -m` and `7z -sdel` delete what they have stored. */
function moveIntoArchive(command: SimpleCommand): readonly Deletion[] {
  const { options, operands } = argumentsOf(command, { short: "xin" });
  const isMove =
    command.program === "zip" ? has(options, "-m", "--move") : textsOf(command.argv).some((text) => text === "-sdel");
  const paths = operands.filter(({ text }) => text !== "a").slice(1);
  return isMove ? [{ paths, recursive: true, force: true }] : NONE;
}

/** What is thrown into the trash can be taken out again, unless it is everything. */
function throwAway(command: SimpleCommand): readonly Deletion[] {
  const { operands } = argumentsOf(command);
  if (command.program !== "gio") return [{ paths: operands, recursive: true, force: false }];
  return operands[0]?.text === "trash" ? [{ paths: operands.slice(1), recursive: true, force: false }] : NONE;
}

/** PowerShell's parameters may be cut short as long as they are unambiguous. */
function removeItem({ argv, stdin }: SimpleCommand): readonly Deletion[] {
  const texts = textsOf(argv);
  if (texts.some((text) => /^-wh?a?t?i?f?$/i.test(text))) return NONE;
  const recursive = texts.some((text) => /^-(r|re|rec|recu|recur|recurs|recurse|rf|fr)(:\$true)?$/i.test(text));
  const force = texts.some((text) => /^-(f|fo|for|forc|force|rf|fr)(:\$true)?$/i.test(text));
  const paths = argv.slice(1).filter(({ text }, index) => {
    const before = texts[index] ?? "";
    if (/^-(include|exclude|filter|stream|credential|erroraction|ea|confirm)/i.test(before)) return false;
    return text === null || !/^-/.test(text);
  });
  if (paths.length > 0 || stdin.kind !== "text") return [{ paths, recursive, force }];
  // `Get-ChildItem x | Remove-Item -Recurse`.
  const listed = stdin.from.flatMap(({ program, argv: list }) =>
    /^(get-childitem|gci|dir|ls)$/.test(program ?? "")
      ? list.slice(1).filter(({ text }) => text === null || !/^-/.test(text))
      : [],
  );
  return [{ paths: listed.length > 0 ? listed : [literal(".")], recursive: true, force }];
}

/** A directory that is given another name is gone for everything that knew the old one. */
function renameItem({ argv }: SimpleCommand): readonly Deletion[] {
  const path = argv.slice(1).find(({ text }) => text === null || !/^-/.test(text));
  return path === undefined ? NONE : [{ paths: [path], recursive: true, force: false }];
}

/** `robocopy empty target /MIR` deletes in the target what the source has not. */
function robocopy({ argv }: SimpleCommand): readonly Deletion[] {
  const words = argv.slice(1);
  const texts = textsOf(words);
  if (!texts.some((text) => /^\/(mir|purge)$/i.test(text)) || texts.some((text) => /^\/l$/i.test(text))) return NONE;
  const [source, target] = words.filter(({ text }) => text === null || !text.startsWith("/"));
  if (source === undefined || target === undefined) return NONE;
  return [{ paths: [target], recursive: true, force: isEmptyDirectory(source) }];
}

/** `del /s /q x`, `rd /s /q x`; a plain `rmdir x` takes empty directories only. */
function commandDelete(command: SimpleCommand): readonly Deletion[] {
  const switches = textsOf(command.argv.slice(1)).filter((text) => /^(\/\w|-[sq])$/i.test(text));
  const paths = command.argv.slice(1).filter(({ text }) => text === null || !/^(\/[a-z](:\w+)?|-\w+)$/i.test(text));
  const recursive = switches.some((text) => /^[/-]s$/i.test(text));
  if (command.program === "rmdir" && switches.length === 0) return NONE;
  return [{ paths, recursive, force: switches.some((text) => /^[/-]q$/i.test(text)) }];
}

const TREES =
  /^(rmtree|remove_tree|rm_rf|rm_r|rmSync|rm|rmdirSync|rimraf|rimrafSync|removeSync|emptyDir|emptyDirSync|remove_entry_secure|remove_dir|removedirs|deltree|remove_all|removeDirectory|deleteDirectory|RemoveAll)$/;
const FILES = /^(remove|unlink|unlinkSync|delete|rmdir|safe_unlink|rm_f)$/;

/** What a call in another language deletes. */
function deletedBy({ name, args, list }: CodeCall): readonly Deletion[] {
  const last = name
    .slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf(">")) + 1)
    .replace(/!$/, "");
  const tree = TREES.test(last) || /^Deno\.remove(Sync)?$/.test(name);
  if (!tree && !FILES.test(last)) return NONE;
  const paths = list ?? args.slice(0, 1);
  return [{ paths, recursive: tree, force: tree || paths.some(isWholeTree) }];
}
