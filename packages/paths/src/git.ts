import { type OptionSpec, readOptions, startOf, type Word, wordOf } from "@hooks/shell";
import type { Collector } from "./shell.js";

const GLOBAL: OptionSpec = {
  short: "Cc",
  long: ["git-dir", "work-tree", "exec-path", "namespace", "super-prefix", "config-env"],
};
const OWN: OptionSpec = {
  short: "oObFfmCcuSt",
  long: ["output", "file", "message", "branch", "template", "reference", "separate-git-dir", "output-directory"],
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Subcommands that only look. Names of branches among their operands do no harm: they are paths inside. */
const LOOKS = words(
  "status log diff show ls-files ls-tree blame annotate rev-parse describe grep cat-file shortlog branch remote hash-object check-ignore difftool whatchanged rev-list",
);
/** Subcommands that write to the repository alone, and read the files they are told. */
const TAKES_IN = words("add commit stash apply am");
/** Which operands of a subcommand are written, from this one on. */
const WRITES: Readonly<Record<string, number>> = { clone: 1, init: 0, rm: 0, mv: 0, restore: 0, clean: 0 };

/** The paths a git command reads and writes. */
export function gitUses(args: readonly Word[], { take }: Collector): void {
  const { options, operands } = readOptions(args, GLOBAL, true);
  const [subcommand, ...rest] = operands;
  const name = subcommand?.text ?? "";
  const access = LOOKS.has(name) ? "read" : "write";
  for (const { name: option, value } of options) {
    const isPlace = ["-C", "--git-dir", "--work-tree"].includes(option);
    if (isPlace && value !== null) take(value, access, `git ${option}`, access === "write" ? "tree" : "one");
  }
  const own = readOptions(rest, OWN);
  for (const { name: option, value } of own.options) if (value !== null) optionUse(name, option, value, take);
  if (name === "config") return configUse(rest, own.operands.length, take);
  const from = WRITES[name];
  for (const [place, word] of own.operands.entries()) {
    const isRooted = /^(?:[/~]|\.\.(?:\/|$))/.test(startOf(word));
    if (from !== undefined && place >= from) take(word, "write", `git ${name}`, name === "clone" ? "one" : "tree");
    else if (access === "read" || TAKES_IN.has(name)) take(word, "read", `git ${name}`);
    // Of all the others a path is only what leads somewhere: the rest are names of branches and remotes.
    else if (isRooted) take(word, "write", `git ${name}`);
  }
  const dashes = rest.findIndex(({ text }) => text === "--");
  if (dashes === -1 || access === "read" || TAKES_IN.has(name)) return;
  for (const word of rest.slice(dashes + 1)) take(word, "write", `git ${name}`, "tree");
}

function optionUse(name: string, option: string, value: Word, take: Collector["take"]): void {
  const isOutput =
    ["--output", "--output-directory", "--separate-git-dir"].includes(option) ||
    (option === "-o" && /^(?:archive|format-patch)$/.test(name));
  if (isOutput) take(value, "write", `git ${name} ${option}`);
  const isFile = ["-F", "--file"].includes(option) || (option === "-f" && name === "config");
  if (isFile) take(value, name === "config" ? "write" : "read", `git ${name} ${option}`);
  if (["--template", "--reference"].includes(option)) take(value, "read", `git ${name} ${option}`);
}

/** A setting for the whole user is written to the home directory. */
function configUse(rest: readonly Word[], operands: number, take: Collector["take"]): void {
  const has = (...names: string[]) => rest.some(({ text }) => text !== null && names.includes(text));
  const isChange =
    operands > 1 || has("--unset", "--unset-all", "--add", "--replace-all", "--edit", "-e", "--remove-section");
  if (!isChange || has("--get", "--get-all", "--list", "-l")) return;
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
