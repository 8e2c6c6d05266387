import type { SimpleCommand } from "./analysis.js";
import { joinSpaces } from "./interpreters.js";
import { readOptions } from "./options.js";
import { joined, type Nested, script, scriptsIn } from "./started.js";
import type { State } from "./state.js";
import { dropStart, literal, startOf } from "./word.js";

const GIT_PROGRAMS =
  /^(core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass)|sequence\.editor|diff\.external|credential\.helper|pager\.\w+)=/i;

/** What git is configured or told to run. */
export function git({ argv }: SimpleCommand, state: State): readonly Nested[] {
  const { options, operands } = readOptions(
    argv.slice(1),
    { short: "cC", long: ["git-dir", "work-tree", "namespace", "exec-path", "config-env"] },
    true,
  );
  const configured = options.flatMap(({ name, value }): Nested[] => {
    if (name !== "-c" || value === null) return [];
    const alias = /^alias\.[^=]+=!/i.exec(startOf(value)) ?? GIT_PROGRAMS.exec(startOf(value));
    if (alias !== null) return [script(dropStart(value, alias[0].length), "git -c")];
    const plain = /^alias\.([^=]+)=/i.exec(startOf(value));
    if (plain?.[1] === undefined || operands[0]?.text !== plain[1]) return [];
    return [
      {
        kind: "script",
        script: joinSpaces([literal("git"), dropStart(value, plain[0].length), ...operands.slice(1)]),
        via: "git -c",
      },
    ];
  });
  const [sub, ...rest] = operands;
  const alias = state.aliases.get(`git ${sub?.text}`);
  if (alias !== undefined)
    return [
      ...configured,
      {
        kind: "script",
        script: joinSpaces([literal(alias.startsWith("!") ? alias.slice(1) : `git ${alias}`), ...rest]),
        via: `git ${sub?.text}`,
      },
    ];
  if (sub?.text === "rebase")
    return [
      ...configured,
      ...scriptsIn(rest, "git rebase --exec", { short: "xs", long: ["exec", "onto", "strategy"] }, ["-x", "--exec"]),
    ];
  if (sub?.text === "filter-branch")
    return [
      ...configured,
      ...rest.flatMap(({ text }, index) =>
        /^--(tree|index|msg|env|parent|commit|tag-name)-filter$/.test(text ?? "") && rest[index + 1]
          ? [script(rest[index + 1], "git filter-branch")]
          : [],
      ),
    ];
  if (sub?.text === "submodule" && rest.some(({ text }) => text === "foreach")) {
    const at = rest.findIndex(({ text }) => text === "foreach");
    return [...configured, ...joined(readOptions(rest.slice(at + 1), {}, true).operands, "git submodule foreach")];
  }
  if (sub?.text === "config") {
    const { operands: words } = readOptions(rest, { short: "f", long: ["file", "type", "blob", "default"] });
    const [key, value] = words[0]?.text === "set" ? words.slice(1) : words;
    const runs = /^alias\./i.test(key?.text ?? "") ? /^!/.test(value?.text ?? "") : GIT_PROGRAMS.test(`${key?.text}=`);
    return runs && value !== undefined
      ? [...configured, script(dropStart(value, /^!/.test(startOf(value)) ? 1 : 0), "git config")]
      : configured;
  }
  if (sub?.text === "difftool" || sub?.text === "mergetool")
    return [
      ...configured,
      ...scriptsIn(rest, "git difftool -x", { short: "xt", long: ["extcmd", "tool"] }, ["-x", "--extcmd"]),
    ];
  const isClone = sub?.text === "clone";
  const hasPack = () => rest.some(({ text }) => /^--(upload|receive)-pack/.test(text ?? ""));
  if (isClone || (/^(fetch|pull|push)$/.test(sub?.text ?? "") && hasPack()))
    return [
      ...configured,
      ...scriptsIn(
        rest,
        "git --upload-pack",
        { short: isClone ? "ubjo" : "jo", long: ["upload-pack", "receive-pack", "branch", "depth"] },
        ["-u", "--upload-pack", "--receive-pack"],
      ),
    ];
  if (sub?.text === "bisect" && rest[0]?.text === "run") return [...configured, { kind: "argv", argv: rest.slice(1) }];
  return configured;
}
