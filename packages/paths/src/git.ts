import {
  type GivenOption,
  type OptionSpec,
  readOptions,
  type SimpleCommand,
  startOf,
  type Word,
  wordOf,
} from "@hooks/shell";
import { isThere, readText } from "./disk.js";
import { accessOfOption } from "./guess.js";
import { patchUses } from "./operands.js";
import type { Collector } from "./shell.js";
import { valueUses, withoutStart } from "./values.js";

const GLOBAL: OptionSpec = {
  short: "Cc",
  long: ["git-dir", "work-tree", "exec-path", "namespace", "super-prefix", "config-env"],
};
/** Letters that take a value, by subcommand: `-f` is a file to one and force to another. */
const LETTERS: Readonly<Record<string, string>> = {
  commit: "mFCctuS",
  tag: "mFu",
  notes: "mFCc",
  clone: "oObcuj",
  archive: "o",
  "format-patch": "o",
  log: "SGUOLnlX",
  diff: "SGUOlX",
  show: "SGUOlX",
  apply: "pC",
  am: "pC",
  stash: "m",
  checkout: "bB",
  switch: "cC",
  branch: "u",
  merge: "mFsXS",
  rebase: "xsXCS",
  push: "o",
  "ls-files": "xX",
  grep: "efABCmO",
  config: "f",
  blame: "LS",
  clean: "e",
  init: "b",
  submodule: "b",
  difftool: "xt",
  worktree: "bB",
  "fast-import": "o",
};
const LONG: readonly string[] = [
  "output",
  "file",
  "message",
  "branch",
  "template",
  "reference",
  "separate-git-dir",
  "output-directory",
  "pathspec-from-file",
  "directory",
  "prefix",
  "index-output",
  "grep",
  "author",
  "since",
  "until",
  "contents",
  "ignore-revs-file",
  "export-marks",
  "import-marks",
];

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Options whose value leads nowhere. */
const TEXTS = words(
  "-m --message --format --pretty --grep --author --committer --since --until --after --before --date -S -G -b --branch -c -C -u -U -e --exclude -X --strategy-option --trailer --diff-filter --abbrev --color --word-diff-regex -L --sort --max-count -n --depth --stat -x --exec --cleanup --gpg-sign --points-at --contains --merged --no-merged --abbrev-ref --glob --branches --tags --remotes --decorate --submodule -B -M -l",
);
/** Subcommands that only look. Names of branches among their operands do no harm: they are paths inside. */
const LOOKS = words(
  "status log diff show ls-files ls-tree blame annotate rev-parse describe grep cat-file shortlog branch remote hash-object check-ignore difftool whatchanged rev-list",
);
/** Subcommands that write to the repository alone, and read the files they are told. */
const TAKES_IN = words("add commit apply am tag notes");
/** Which operands of a subcommand are written, from this one on. */
const WRITES: Readonly<Record<string, number>> = { clone: 1, init: 0, rm: 0, mv: 0, restore: 0, clean: 0 };

/** The paths a git command reads and writes. */
export function gitUses(args: readonly Word[], collector: Collector, command: SimpleCommand): void {
  const { take, placesOf } = collector;
  const { options, operands } = readOptions(args, GLOBAL, true);
  const [subcommand, ...rest] = operands;
  const name = subcommand?.text ?? "";
  const access = LOOKS.has(name) ? "read" : "write";
  for (const { name: option, value } of options) {
    if (value === null) continue;
    if (["-C", "--git-dir", "--work-tree"].includes(option))
      take(value, access, `git ${option}`, access === "write" ? "tree" : "one");
    else valueUses(value, /worktree/i.test(startOf(value)) ? "write" : "read", `git ${option}`, collector);
  }
  const spec: OptionSpec = { short: LETTERS[name] ?? "", long: LONG };
  const own = readOptions(rest, spec);
  for (const { name: option, value } of own.options) if (value !== null) optionUse(name, option, value, collector);
  for (const word of rest) {
    const [joined, letter = ""] = /^-([A-Za-z])(?=[/~]|\.\.\/)/.exec(startOf(word)) ?? [];
    if (joined !== undefined && !(spec.short ?? "").includes(letter))
      valueUses(withoutStart(word, 2), "write", `git ${name} ${joined}`, collector);
  }
  if (name === "config") return configUse(rest, own.operands, collector);
  if (name === "apply" || name === "am") applyUse(own.operands, own.options, collector, command);
  const hasPattern = name === "grep" && !own.options.some(({ name: option }) => ["-e", "-f"].includes(option));
  const from = WRITES[name];
  for (const [place, word] of own.operands.slice(hasPattern ? 1 : 0).entries()) {
    const isRooted = /^(?:[/~]|\.\.(?:\/|$)|file:)/i.test(startOf(word));
    // A repository to take from is read.
    if (name === "clone" && place === 0 && isRooted) take(word, "read", "git clone");
    if (from !== undefined && place >= from) take(word, "write", `git ${name}`, name === "clone" ? "one" : "tree");
    else if (access === "read" || TAKES_IN.has(name)) take(word, "read", `git ${name}`);
    // Of all the others a path is only what leads somewhere: the rest are names of branches and remotes.
    else if (isRooted || placesOf(word).some(isThere)) take(word, "write", `git ${name}`);
  }
  const dashes = rest.findIndex(({ text }) => text === "--");
  if (dashes === -1 || access === "read" || TAKES_IN.has(name)) return;
  for (const word of rest.slice(dashes + 1)) take(word, "write", `git ${name}`, "tree");
}

function optionUse(name: string, option: string, value: Word, collector: Collector): void {
  const { take } = collector;
  const by = `git ${name} ${option}`;
  const isOutput =
    ["--output", "--output-directory", "--separate-git-dir", "--export-marks", "--index-output"].includes(option) ||
    (option === "-o" && /^(?:archive|format-patch|fast-import)$/.test(name)) ||
    (["--prefix", "--directory"].includes(option) && /^(?:checkout-index|apply|am)$/.test(name));
  if (isOutput) return take(value, "write", by);
  const isFile =
    ["-F", "--file", "--pathspec-from-file", "--contents", "--ignore-revs-file", "--import-marks"].includes(option) ||
    (option === "-f" && /^(?:config|grep)$/.test(name));
  if (isFile) return take(value, name === "config" ? "write" : "read", by);
  if (["--template", "--reference", "-t"].includes(option) && /^(?:clone|init|commit)$/.test(name))
    return take(value, "read", by);
  if (!TEXTS.has(option) || (name === "ls-files" && ["-X", "-x"].includes(option)))
    valueUses(value, accessOfOption(option), by, collector);
}

/** What a patch names is written, when it is in the command or in a file that is there. */
function applyUse(
  operands: readonly Word[],
  options: readonly GivenOption[],
  { take, give, placesOf }: Collector,
  { stdin }: SimpleCommand,
): void {
  const given = (...names: string[]) => options.find(({ name }) => names.includes(name))?.value?.text ?? null;
  if (
    options.some(({ name }) => /^--(?:check|stat|numstat|summary)$/.test(name)) &&
    !options.some(({ name }) => name === "--apply")
  )
    return;
  if (options.some(({ name }) => name === "--unsafe-paths")) give("git apply", "its patch may lead anywhere");
  const strip = Number(given("-p") ?? 1);
  const files = operands.length > 0 ? operands : stdin.kind === "file" ? [stdin.path] : [];
  const texts = files.map((word) => readText(placesOf(word)[0]));
  if (files.length === 0 && stdin.kind === "text") texts.push(stdin.text.text);
  for (const text of texts) {
    if (text === null) give("git apply", "what it writes to stands in the patch, and that cannot be read");
    else patchUses(text, Number.isNaN(strip) ? 1 : strip, given("--directory") ?? "", "git apply", take);
  }
}

/** A setting for the whole user is written to the home directory; the value of one may lead git elsewhere. */
function configUse(rest: readonly Word[], operands: readonly Word[], collector: Collector): void {
  const { take } = collector;
  const has = (...names: string[]) => rest.some(({ text }) => text !== null && names.includes(text));
  const [first] = operands;
  const isVerb = /^(?:set|unset|get|list|rename-section|remove-section|edit)$/.test(first?.text ?? "");
  const isChange =
    (operands.length > 1 && !(isVerb && /^(?:get|list)$/.test(first?.text ?? ""))) ||
    has("--unset", "--unset-all", "--add", "--replace-all", "--edit", "-e", "--remove-section");
  if (!isChange || has("--get", "--get-all", "--list", "-l")) return;
  for (const word of operands.slice(1)) {
    const isPlace = /worktree/i.test(operands[operands.indexOf(word) - 1]?.text ?? "");
    valueUses(
      word.text?.startsWith("!") ? withoutStart(word, 1) : word,
      isPlace ? "write" : "read",
      "git config",
      collector,
    );
  }
  if (has("--global"))
    take(
      wordOf([
        { kind: "variable", name: "HOME", required: false },
        { kind: "text", text: "/.gitconfig" },
      ]),
      "write",
      "git config --global",
    );
  if (has("--system")) take(wordOf([{ kind: "text", text: "/etc/gitconfig" }]), "write", "git config --system");
}
