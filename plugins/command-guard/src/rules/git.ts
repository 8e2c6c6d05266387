import { render, resolvePath, type SimpleCommand } from "@hooks/shell";
import { has, hasExactly, textsOf } from "../arguments.js";
import { deletionsOf } from "../deletion.js";
import { type GitCommand, gitCommandOf } from "../git-command.js";
import type { Rule } from "../rule.js";
import type { Scene } from "../scene.js";
import { writesOf } from "../writes.js";
import { cleans, deletesRemote, discardsByCheckout, forcesBranch, forcesPush, SHARED } from "./git-losses.js";

type Test = (git: GitCommand, scene: Scene, command: SimpleCommand) => string | null | boolean;

/** A test of some subcommands of git; `true` stands for the subcommand itself. */
function git(names: string, test: Test): Rule["test"] {
  const wanted = new Set(names.split(" "));
  return (command, scene) => {
    const read = gitCommandOf(command);
    if (read === null || !wanted.has(read.name) || hasExactly(read.options, "-h")) return null;
    const found = test(read, scene, command);
    return found === true ? `git ${read.name}` : found === false ? null : found;
  };
}

const PROGRAMS = [
  "git",
  "git-reset",
  "git-clean",
  "git-checkout",
  "git-restore",
  "git-switch",
  "git-push",
  "git-branch",
  "git-stash",
  "git-reflog",
  "git-gc",
  "git-prune",
  "git-filter-branch",
  "git-filter-repo",
  "git-update-ref",
  "git-worktree",
  "git-rm",
  "git-tag",
  "git-submodule",
  "git-checkout-index",
  "git-read-tree",
];

/** Rules about work and history that git would lose. */
export const gitRules: readonly Rule[] = [
  {
    id: "git-reset-hard",
    group: "git",
    severity: "high",
    explanation: "It throws away every change that is not committed.",
    instead: "Stash the changes, or move the branch and keep them with --keep or --soft.",
    alternatives: ["git stash push -u -m before-reset", "git reset --soft HEAD~1", "git reset --keep HEAD~1"],
    references: ["https://git-scm.com/docs/git-reset"],
    hits: ["git reset --hard", "git -C repo reset --har HEAD~1", "git reset --merge", "git read-tree -u --reset HEAD"],
    misses: ["git reset", "git reset --soft HEAD~1", "git commit -m 'git reset --hard'", "git reset --keep HEAD~1"],
    programs: PROGRAMS,
    test: git("reset read-tree", ({ name, options }) =>
      name === "reset" ? has(options, "--hard", "--merge") : has(options, "--reset") && hasExactly(options, "-u"),
    ),
  },
  {
    id: "git-clean",
    group: "git",
    severity: "high",
    explanation: "It deletes files git does not know, which nothing can bring back.",
    instead: "Look with -n first, and delete what is meant by name, or clean a build directory only.",
    alternatives: ["git clean -nd", "git clean -fd build/"],
    references: ["https://git-scm.com/docs/git-clean"],
    hits: ["git clean -fd", "git clean -xdf", "git -c clean.requireForce=false clean -d"],
    misses: ["git clean -n", "git clean -nfd", "git clean -fdx dist/"],
    programs: PROGRAMS,
    test: git("clean", cleans),
  },
  {
    id: "git-checkout-paths",
    group: "git",
    severity: "high",
    explanation: "It overwrites changes in the working tree that are not committed.",
    instead: "Stash them, or look at the other version without taking it.",
    alternatives: ["git stash push -- src/a.ts", "git show HEAD:src/a.ts", "git checkout -b try-out"],
    references: ["https://git-scm.com/docs/git-checkout"],
    hits: [
      "git checkout -- a.txt",
      "git checkout .",
      "git checkout HEAD~1 src",
      "git checkout -f main",
      "git checkout-index -fa",
    ],
    misses: ["git checkout main", "git checkout -b feature/x", "git checkout v1.2.0", "git checkout --theirs a.txt"],
    programs: PROGRAMS,
    test: git("checkout checkout-index", (read) =>
      read.name === "checkout" ? discardsByCheckout(read) : has(read.options, "-f", "--force"),
    ),
  },
  {
    id: "git-restore",
    group: "git",
    severity: "high",
    explanation: "It overwrites changes in the working tree that are not committed.",
    instead: "Stash them, or restore the index alone with --staged.",
    alternatives: ["git stash push -- src/a.ts", "git restore --staged src/a.ts"],
    references: ["https://git-scm.com/docs/git-restore"],
    hits: ["git restore a.txt", "git restore --staged --worktree .", "git restore -SW a"],
    misses: ["git restore --staged .", "git restore --help", "git restore -S a.txt"],
    programs: PROGRAMS,
    test: git("restore", ({ options, operands, paths }) => {
      if (has(options, "-S", "--staged") && !has(options, "-W", "--worktree")) return null;
      const all = [...operands, ...paths];
      return all.length > 0 || hasExactly(options, "--pathspec-from-file")
        ? all.map(render).join(" ") || "the listed paths"
        : null;
    }),
  },
  {
    id: "git-switch-discard",
    group: "git",
    severity: "high",
    explanation: "It throws away every change that is not committed.",
    instead: "Stash the changes first; without the option git stops when something would be lost.",
    alternatives: ["git stash push -u", "git switch main"],
    references: ["https://git-scm.com/docs/git-switch"],
    hits: ["git switch -f main", "git switch --discard-changes main"],
    misses: ["git switch main", "git switch -c feature", "git switch -- -f"],
    programs: PROGRAMS,
    test: git("switch", ({ options }) => has(options, "-f", "--force", "--discard-changes")),
  },
  {
    id: "git-push-force",
    group: "git",
    severity: "high",
    explanation: "It overwrites the history others have, whatever they pushed in between.",
    instead: "Use --force-with-lease alone, which stops when the remote has moved, or push to a new branch.",
    alternatives: ["git push --force-with-lease origin feature", "git push origin HEAD:refs/heads/feature-2"],
    references: ["https://git-scm.com/docs/git-push"],
    hits: [
      "git push --force",
      "git push -f origin main",
      "git push origin +main",
      "git push --mirror",
      "git push --force --force-with-lease",
    ],
    misses: ["git push --force-with-lease", "git push origin main", "git push -n --force", "git push --follow-tags"],
    programs: PROGRAMS,
    test: git("push", forcesPush),
  },
  {
    id: "git-push-delete",
    group: "git",
    severity: "medium",
    explanation: "It deletes branches or tags of the remote.",
    instead: "Look at what would go with --dry-run, and let the person delete it.",
    alternatives: ["git push --dry-run --delete origin old", "git branch -r --merged"],
    references: ["https://git-scm.com/docs/git-push"],
    hits: ["git push origin --delete main", "git push origin :main", "git push --prune origin"],
    misses: ["git push origin main:main", "git push --dry-run origin :main", "git fetch --prune"],
    programs: PROGRAMS,
    test: git("push", deletesRemote),
  },
  {
    id: "git-push-delete-main",
    group: "git",
    severity: "high",
    explanation: "It deletes a branch everybody works from, or every branch this clone does not have.",
    instead: "Leave such branches to the settings of the server.",
    alternatives: ["git branch -r --merged", "git push --dry-run --prune origin"],
    references: ["https://git-scm.com/docs/git-push"],
    hits: [
      "git push origin --delete main",
      "git push origin :master",
      "git push --prune origin",
      "git push origin :refs/heads/release/1.0",
    ],
    misses: ["git push origin --delete fix/typo", "git push origin main", "git push --dry-run --prune origin"],
    programs: PROGRAMS,
    test: git("push", (read) => {
      const found = deletesRemote(read);
      return found !== null && (found === "--prune" || SHARED.test(found)) ? found : null;
    }),
  },
  {
    id: "git-branch-force",
    group: "git",
    severity: "high",
    explanation: "It deletes or moves a branch without looking whether its commits are anywhere else.",
    instead: "Delete with -d, which refuses when commits would be lost, or keep a tag on them.",
    alternatives: ["git branch -d feature", "git tag keep/feature feature"],
    references: ["https://git-scm.com/docs/git-branch"],
    hits: [
      "git branch -D feature",
      "git branch --delete --force feature",
      "git branch -f main HEAD~3",
      "git branch -M old main",
    ],
    misses: ["git branch -d feature", "git branch -a", "git branch -M main", "git branch --contains abc"],
    programs: PROGRAMS,
    test: git("branch", forcesBranch),
  },
  {
    id: "git-stash-drop",
    group: "git",
    severity: "high",
    explanation: "It throws stashed work away.",
    instead: "Keep the stash, or turn it into a branch.",
    alternatives: ["git stash branch from-stash", "git stash list"],
    references: ["https://git-scm.com/docs/git-stash"],
    hits: ["git stash drop", "git stash clear"],
    misses: ["git stash", "git stash pop", "git stash list", "git stash push -m drop"],
    programs: PROGRAMS,
    test: git(
      "stash",
      ({ operands }) => /^(drop|clear)$/i.test(operands[0]?.text ?? "") && operands.map(render).join(" "),
    ),
  },
  {
    id: "git-reflog-expire",
    group: "git",
    severity: "high",
    explanation: "It forgets where branches were, and deletes the commits only that memory holds.",
    instead: "Let git collect garbage on its own terms: its default keeps what is recent.",
    alternatives: ["git gc", "git reflog"],
    references: ["https://git-scm.com/docs/git-reflog", "https://git-scm.com/docs/git-gc"],
    hits: ["git reflog expire --expire=now --all", "git reflog delete HEAD@{1}", "git gc --prune=now", "git prune"],
    misses: ["git gc", "git reflog", "git prune -n", "git remote prune origin", "git gc --auto"],
    programs: PROGRAMS,
    test: git("reflog gc prune", ({ name, options, operands }) => {
      if (hasExactly(options, "-n", "--dry-run")) return null;
      if (name === "reflog") return /^(expire|delete)$/.test(operands[0]?.text ?? "");
      if (name === "prune") return true;
      return options.some(
        ({ name: option, value }) =>
          option === "--prune" && value !== null && !/^\d+\.|weeks|months/.test(value.text ?? ""),
      );
    }),
  },
  {
    id: "git-rewrite-history",
    group: "git",
    severity: "high",
    explanation: "It rewrites every commit, or moves references behind git's back.",
    instead: "Do it in a fresh clone that can be thrown away.",
    alternatives: ["git clone . ../rewrite-here", "git log --oneline"],
    references: ["https://git-scm.com/docs/git-filter-branch"],
    hits: [
      "git filter-branch --tree-filter 'rm x' HEAD",
      "git filter-repo --path src",
      "git update-ref -d refs/heads/main",
      "git symbolic-ref --delete HEAD",
      "bfg --delete-files x.zip",
    ],
    misses: ["git rebase main", "git commit --amend", "git show-ref", "git filter-repo --analyze"],
    programs: [...PROGRAMS, "bfg"],
    test: (command, scene) =>
      command.program === "bfg"
        ? "bfg"
        : git("filter-branch filter-repo update-ref replace symbolic-ref", ({ name, options, operands }) =>
            has(options, "--analyze")
              ? null
              : name === "symbolic-ref"
                ? has(options, "-d", "--delete")
                : name === "update-ref"
                  ? has(options, "-d", "--stdin") || /^refs\/heads\//.test(operands[0]?.text ?? "")
                  : name !== "replace" || operands.length > 0,
          )(command, scene),
  },
  {
    id: "git-remove-forced",
    group: "git",
    severity: "high",
    explanation: "It deletes files, a worktree or a submodule with changes that are not committed.",
    instead: "Without the force git stops when something would be lost.",
    alternatives: ["git rm --cached a.txt", "git worktree remove ../wt"],
    references: ["https://git-scm.com/docs/git-rm", "https://git-scm.com/docs/git-worktree"],
    hits: ["git worktree remove --force /x/wt", "git rm -rf .", "git submodule deinit -f --all"],
    misses: ["git worktree remove ../wt", "git rm -r --cached .", "git rm a.txt", "git worktree remove -- -f"],
    programs: PROGRAMS,
    test: git("worktree rm submodule", ({ name, options, operands }) => {
      if (!has(options, "-f", "--force")) return null;
      if (name === "rm")
        return !has(options, "--cached") && !hasExactly(options, "-n", "--dry-run") && has(options, "-r");
      return /^(remove|deinit)$/.test(operands[0]?.text ?? "");
    }),
  },
  {
    id: "git-internals",
    group: "git",
    severity: "high",
    explanation: "It overwrites what git keeps for itself: where branches are, and how the repository is set up.",
    instead: "Let git change it: `git config`, `git switch`, `git update-index`.",
    alternatives: ["git config core.autocrlf input", "git switch -c other", "cp .git/config /tmp/git-config.bak"],
    references: ["https://git-scm.com/docs/gitrepository-layout"],
    hits: [
      "echo > .git/config",
      "cp /dev/null .git/HEAD",
      "truncate -s 0 .git/index",
      "echo x | tee .git/refs/heads/main",
      "rm .git/hooks/../config",
    ],
    misses: [
      "cat .git/config",
      "echo dist >> .git/info/exclude",
      "cp hook.sh .git/hooks/pre-commit",
      "echo x > /tmp/clone/.git/HEAD",
    ],
    test: (command, scene) => {
      if (command.redirections.length === 0 && command.program === null) return null;
      const paths = [
        ...writesOf(command).flatMap(({ path, appends }) => (appends ? [] : [path])),
        ...deletionsOf(command).flatMap((deletion) => deletion.paths),
      ];
      const found = paths.find(
        (path) =>
          /(^|\/)\.git\/(HEAD|config|index|packed-refs|ORIG_HEAD|refs\/.*|objects\/.*|logs\/.*)$/.test(
            render(resolvePath(path, command.cwd)),
          ) && scene.place(path, command) === "repository",
      );
      return found === undefined ? null : render(found);
    },
  },
  {
    id: "git-untrack-all",
    group: "git",
    severity: "medium",
    explanation:
      "It takes files, notes, large objects or the remote out of the repository's books; the next commit or push tells everybody.",
    instead: "Name the one file that should not be tracked, or the one note or remote that is meant.",
    alternatives: ["git rm --cached secrets.txt", "git remote -v", "git lfs prune --dry-run"],
    references: ["https://git-scm.com/docs/git-rm", "https://git-scm.com/docs/git-notes"],
    hits: [
      "git rm -r --cached .",
      "git notes remove HEAD",
      "git lfs prune --force",
      "git remote remove origin",
      "git notes prune",
    ],
    misses: [
      "git rm -r --cached old",
      "git notes show",
      "git lfs prune",
      "git remote remove fork",
      "git rm -rn --cached .",
    ],
    programs: PROGRAMS,
    test: git("rm notes lfs remote", ({ name, options, operands, paths }) => {
      if (hasExactly(options, "-n", "--dry-run")) return null;
      const [first, second] = textsOf(operands);
      if (name === "notes") return /^(remove|prune)$/.test(first ?? "");
      if (name === "lfs") return first === "prune" && has(options, "-f", "--force");
      if (name === "remote") return /^(remove|rm)$/.test(first ?? "") && /^(origin|upstream)$/.test(second ?? "");
      return (
        has(options, "--cached") &&
        has(options, "-r") &&
        textsOf([...operands, ...paths]).some((text) => /^(\.\/?|\*|:\/)$/.test(text))
      );
    }),
  },
  {
    id: "git-tag-delete",
    group: "git",
    severity: "medium",
    explanation: "It deletes or moves a tag: the name of a release.",
    instead: "Make a new tag.",
    alternatives: ["git tag v1.2.1"],
    references: ["https://git-scm.com/docs/git-tag"],
    hits: ["git tag -d v1.0.0", "git tag -f v1.0.0 HEAD"],
    misses: ["git tag v1.0.0", "git tag -l", "git tag -a v1 -m 'delete -d'"],
    programs: PROGRAMS,
    test: git(
      "tag",
      ({ options, operands }) => has(options, "-d", "--delete", "-f", "--force") && operands.map(render).join(" "),
    ),
  },
  {
    id: "git-rm-forced",
    group: "git",
    severity: "medium",
    explanation: "It deletes files with changes that are not committed.",
    instead: "Without the force git stops when something would be lost; --cached leaves the file where it is.",
    alternatives: ["git rm a.txt", "git rm --cached a.txt"],
    references: ["https://git-scm.com/docs/git-rm"],
    hits: ["git rm -f src/a.ts", "git rm --force a.txt"],
    misses: ["git rm a.txt", "git rm -r old", "git rm -f --cached a.txt", "git rm -nf a.txt"],
    programs: PROGRAMS,
    test: git(
      "rm",
      ({ options, operands, paths }) =>
        has(options, "-f", "--force") &&
        !has(options, "--cached") &&
        !hasExactly(options, "-n", "--dry-run") &&
        [...operands, ...paths].map(render).join(" "),
    ),
  },
];
