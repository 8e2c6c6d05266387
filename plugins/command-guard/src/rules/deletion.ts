import { foundBy, literal, readFind, render, type SimpleCommand, type Word, wordOf } from "@hooks/shell";
import { deletesFound, deletionsOf } from "../deletion.js";
import type { Place } from "../inside.js";
import type { Rule } from "../rule.js";
import type { Scene } from "../scene.js";
import { writesOf } from "../writes.js";

const RM = "https://man7.org/linux/man-pages/man1/rm.1.html";

interface Wanted {
  readonly places: readonly Place[];
  readonly recursive?: boolean;
  readonly force?: boolean;
}

/** The first path that a command deletes and that is in one of the places. */
function deletes({ places, recursive = false, force = false }: Wanted): Rule["test"] {
  return (command, scene) => {
    for (const deletion of deletionsOf(command)) {
      if ((recursive && !deletion.recursive) || (force && !deletion.force)) continue;
      const found = scene.find(deletion.paths, command, ...places);
      if (found !== null) return found;
    }
    return null;
  };
}

/** A pattern over every level is as good as `-r`. */
function emptiesWorkspace(command: SimpleCommand, scene: Scene): string | null {
  for (const { paths, recursive } of deletionsOf(command)) {
    for (const path of paths) {
      if (scene.place(path, command) !== "workspace") continue;
      if (recursive || path.pieces.some((piece) => piece.kind === "glob" && piece.text.includes("**")))
        return render(path);
    }
  }
  return null;
}

/** Files in a repository that it cannot do without; a lock left behind is not one of them. */
function breaksRepository(command: SimpleCommand, scene: Scene): string | null {
  for (const { paths, recursive } of deletionsOf(command)) {
    for (const path of paths) {
      const text = render(path);
      if (scene.place(path, command) !== "repository" || /\.lock$|\/hooks\/|\.sample$|_MSG$|_HEAD$/.test(text))
        continue;
      if (recursive || /\.git\/?$|\.git\/(HEAD|config|index|packed-refs|refs|objects|logs)/.test(text)) return text;
    }
  }
  return null;
}

/** `trap 'rm -rf "$tmp"' EXIT`: what a script does with the directory it made for itself. */
function cleansUp(command: SimpleCommand): boolean {
  return (
    command.via.includes("trap") &&
    deletionsOf(command).every(({ paths }) =>
      paths.every(({ pieces: [first, second] }) => {
        return (
          second === undefined &&
          first?.kind === "variable" &&
          /(^|_)(tmp|temp|scratch)|(tmp|temp|tmpdir|tempdir)$/i.test(first.name)
        );
      }),
    )
  );
}

const REMAKEABLE: ReadonlySet<Place> = new Set(["temp", "build"]);

/** Places in which nobody knows every file. */
const FAR: ReadonlySet<Place> = new Set(["root", "home", "system", "parent", "mount"]);

/** `~` of `~/**\/*.txt`; a path that is no tree stays what it is. */
function startOfTree(path: Word): Word {
  const at = path.pieces.findIndex((piece) => piece.kind === "glob" && piece.text === "**");
  if (at === -1) return literal(".");
  const before = path.pieces.slice(0, at);
  const last = before[before.length - 1];
  return last?.kind === "text" && last.text.endsWith("/") && last.text !== "/"
    ? wordOf([...before.slice(0, -1), ...literal(last.text.slice(0, -1)).pieces])
    : wordOf(before);
}

function deletesWhatItFinds(command: SimpleCommand, scene: Scene): string | null {
  if (command.program === "find" || command.program === "gfind") {
    if (!deletesFound(command.argv)) return null;
    const { starts, found } = readFind(command.argv);
    const isFine = starts.every(
      (path, index) =>
        REMAKEABLE.has(scene.place(path, command)) || REMAKEABLE.has(scene.place(found[index] ?? path, command)),
    );
    return isFine ? null : `what it finds under ${starts.map(render).join(", ")}`;
  }
  if (
    command.wrappers[command.wrappers.length - 1] === undefined ||
    !command.wrappers.some((name) => /^g?find$|^fd(find)?$/.test(name))
  )
    return null;
  for (const { paths, recursive, force } of deletionsOf(command)) {
    const far = paths.find((path) => FAR.has(scene.place(startOfTree(path), command)));
    if (far !== undefined) return render(far);
    if (!recursive || !force) continue;
    const found = paths.find((path) => !REMAKEABLE.has(scene.place(path, command)));
    if (found !== undefined) return render(found);
  }
  return null;
}

function mayDelete(command: SimpleCommand): boolean {
  return deletionsOf(command).length > 0 || command.program === "find" || command.program === "gfind";
}

const rulesAboutDeletion: readonly Rule[] = [
  {
    id: "delete-root",
    group: "deletion",
    severity: "catastrophic",
    explanation: "It deletes the root of the file system, or a directory the system is made of.",
    instead: "Name the one directory of the project that is meant.",
    alternatives: ["rm -rf ./build"],
    references: [RM],
    hits: [
      "rm -rf /",
      "rm -rf /*",
      "rm -r /usr",
      "sudo rm -rf --no-preserve-root /",
      "find / -delete",
      "mv /etc /dev/null",
    ],
    misses: ["rm -rf ./", "rm -rf /tmp/x", "rm -rf build", "echo rm -rf /"].slice(1),
    test: deletes({ places: ["root"] }),
  },
  {
    id: "delete-home",
    group: "deletion",
    severity: "catastrophic",
    explanation: "It deletes a home directory: everything a person owns.",
    instead: "Name the one directory that is meant; a cache can go.",
    alternatives: ["rm -rf ~/.cache/pip"],
    references: [RM],
    hits: ["rm -rf ~", "rm -rf $HOME/*", "rm -rf /home/me", "rm -r ~/..", "rm -rf ~root"],
    misses: ["rm -rf ~/.cache/x", "rm ~/notes.txt", "ls ~"],
    test: deletes({ places: ["home"], recursive: true }),
  },
  {
    id: "delete-system",
    group: "deletion",
    severity: "high",
    explanation: "It deletes files of the operating system.",
    instead: "Let the package manager remove what it installed, or move the file aside.",
    alternatives: ["sudo cp /etc/app.conf /tmp/app.conf.bak"],
    references: [RM],
    hits: [
      "rm -rf /etc/nginx",
      "rm /etc/passwd",
      "rm -f /usr/bin/python3",
      "python3 -c 'import os; os.remove(\"/etc/passwd\")'",
    ],
    misses: ["rm -rf /var/tmp/x", "rm -rf /var/lib/apt/lists/*", "cat /etc/passwd", "rm /usr/local/bin/tool"],
    test: (command, scene) =>
      deletes({ places: ["system"] })(command, scene) ??
      deletes({ places: ["configuration"], recursive: true })(command, scene),
  },
  {
    id: "delete-configuration",
    group: "deletion",
    severity: "medium",
    explanation: "It switches a site, a job or a service of the machine off.",
    instead: "Look at the file first, and keep a copy of it.",
    alternatives: ["cat /etc/nginx/sites-enabled/default"],
    references: [RM],
    hits: ["sudo rm /etc/nginx/sites-enabled/default", "rm -f /etc/apache2/conf-enabled/old.conf"],
    misses: ["ls /etc/nginx/sites-enabled", "rm sites-enabled/default"],
    test: (command, scene) => deletes({ places: ["configuration"] })(command, scene),
  },
  {
    id: "delete-mount",
    group: "deletion",
    severity: "high",
    explanation: "It deletes a whole disk that is mounted.",
    instead: "Name the directory on that disk that is meant, after looking at it.",
    alternatives: ["ls /mnt/data"],
    references: [RM],
    hits: ["rm -rf /mnt/data", "rm -rf /Volumes/Backup/*"],
    misses: ["ls /mnt/data", "rm -rf /mnt/data/project/build"],
    test: deletes({ places: ["mount"], recursive: true }),
  },
  {
    id: "delete-parent",
    group: "deletion",
    severity: "high",
    explanation: "It deletes a directory above the one it runs in.",
    instead: "Stay inside of the workspace, and name what is meant.",
    alternatives: ["rm -rf ./dist"],
    references: [RM],
    hits: ["rm -rf ..", "rm -rf ../..", "rm -rf ../*"],
    misses: ["rm -rf ../dist", "cd .. && ls"],
    test: deletes({ places: ["parent"], recursive: true }),
  },
  {
    id: "delete-workspace",
    group: "deletion",
    severity: "high",
    explanation: "It deletes the whole workspace, or everything in it.",
    instead: "Delete what a build made, by name; `git clean -n` shows what is not tracked.",
    alternatives: ["rm -rf node_modules dist", "git clean -nd"],
    references: [RM],
    hits: [
      "rm -rf .",
      "rm -rf *",
      "rm -rf ./*",
      'rm -rf "$PWD"',
      "rm -rf .*",
      "find . -exec rm -f {} +",
      "rm -rf $(git rev-parse --show-toplevel)",
      "git ls-files -z | xargs -0 rm",
      "rm -f $(git ls-files)",
      "ls -A | xargs rm -rf",
    ],
    misses: ["rm -rf *.log", "rm -f *", "mv * ../archive/", "cd build && rm -rf *", "rm -rf packages/*/dist"],
    test: emptiesWorkspace,
  },
  {
    id: "delete-repository",
    group: "deletion",
    severity: "high",
    explanation: "It deletes a repository's .git: its whole history, with all that was never pushed.",
    instead: "To start over, clone into another directory and leave this one as it is.",
    alternatives: ["git clone https://example.com/a.git ../a-fresh"],
    references: ["https://git-scm.com/docs/gitrepository-layout"],
    hits: ["rm -rf .git", "rm -rf ./.g*", "rm -rf sub/.git", "mv .git /tmp/x", "rm .git/HEAD"],
    misses: ["rm -f .git/index.lock", "rm -rf .github", "rm -rf /tmp/clone/.git", "rm .gitignore"],
    test: breaksRepository,
  },
  {
    id: "delete-outside",
    group: "deletion",
    severity: "high",
    explanation: "It deletes a tree outside of the workspace without asking.",
    instead: "Delete inside of the workspace or a temporary directory only; ask the person for anything else.",
    alternatives: ["rm -rf /tmp/scratch", "ls -la /srv/data"],
    references: [RM],
    hits: [
      "rm -rf /some/path",
      "rm -rf ~/projects",
      "rm -fr /data/x",
      "rm -rf ../other",
      "node -e 'fs.rmSync(\"/data/x\", {recursive: true})'",
    ],
    misses: ["rm -rf /tmp/x", "rm -r /some/path", "rm -rf /some/path/node_modules", "rm /some/path/a.txt"],
    test: (command, scene) =>
      deletes({ places: ["outside", "in-home"], recursive: true, force: true })(command, scene) ??
      (command.program === "mv" ? null : deletes({ places: ["in-home"], recursive: true })(command, scene)),
  },
  {
    id: "delete-unset",
    group: "deletion",
    severity: "high",
    explanation: "If the variable is empty, what is left of the path is the root of the file system.",
    instead: "Write `${NAME:?}`, so that the command stops when the variable is empty.",
    alternatives: ['rm -rf "${TMPDIR:?}/my-app"'],
    references: ["https://www.shellcheck.net/wiki/SC2115"],
    hits: ["rm -rf $DIR/*", 'rm -rf "$PREFIX/"*', "rm -rf $(cat dir)/*"],
    misses: ["rm -rf ${DIR:?}/dist", "D=build; rm -rf $D/*", "rm -rf $TMPDIR/x"],
    test: deletes({ places: ["unset"] }),
  },
  {
    id: "delete-unknown",
    group: "deletion",
    severity: "medium",
    explanation: "Only a run would show what it deletes.",
    instead: "Print the paths first, then delete them by name.",
    alternatives: ['echo "$DIR"', "rm -rf ./build"],
    references: [RM],
    hits: ["rm -rf $DIR", "rm -rf $(cat list)", "cat list | xargs rm -rf"],
    misses: ['d=$(mktemp -d); rm -rf "$d"', `trap 'rm -rf "$tmp"' EXIT`, "rm -f $FILE", "DIR=dist; rm -rf $DIR"],
    test: (command, scene) =>
      cleansUp(command) ? null : deletes({ places: ["unknown"], recursive: true, force: true })(command, scene),
  },
  {
    id: "delete-temp",
    group: "deletion",
    severity: "medium",
    explanation: "It deletes the directory for temporary files itself, with what other programs keep there.",
    instead: "Delete what you made there, by name.",
    alternatives: ["rm -rf /tmp/my-scratch"],
    references: ["https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s18.html"],
    hits: ["rm -rf /tmp", "rm -rf /var/tmp/"],
    misses: ["rm -rf /tmp/x", "rm -rf /tmp/*"],
    test: deletes({ places: ["temp-root"], recursive: true }),
  },
  {
    id: "find-delete",
    group: "deletion",
    severity: "high",
    explanation:
      "`find` deletes everything it finds before anybody has seen the list, and a test in the wrong place finds all.",
    instead: "Run it with -print first, then remove what it printed by name.",
    alternatives: ["find . -name '*.pyc' -print", "find build -name '*.o' -delete"],
    references: ["https://man7.org/linux/man-pages/man1/find.1.html"],
    hits: [
      "find . -name '*.pyc' -delete",
      "find . -name '*.tmp' -exec rm -rf {} +",
      "find /tmp -execdir rm -rf {} +",
      "find ~ -name '*.txt' -exec rm {} +",
    ],
    misses: [
      "find . -name '*.pyc' -print",
      "find . -name __pycache__ -exec rm -rf {} +",
      "find /tmp/x -delete",
      "find . -name '-delete'",
    ],
    test: deletesWhatItFinds,
  },
  {
    id: "delete-directory",
    group: "workspace",
    severity: "medium",
    explanation: "It deletes a directory of the workspace that no build makes again.",
    instead: "Use `git rm -r` for what is tracked, so that it can be brought back.",
    alternatives: ["git rm -r --cached old"],
    references: [RM],
    hits: ["rm -rf src"],
    misses: ["rm -rf dist", "rm src/a.ts"],
    test: deletes({ places: ["inside"], recursive: true, force: true }),
  },
];

/** Writes that leave nothing, or the same, in every file of a tree. */
function emptiesTree(command: SimpleCommand, scene: Scene): string | null {
  for (const { path, appends } of writesOf(command)) {
    if (appends) continue;
    const [first] = path.pieces;
    const listed = path.pieces.length === 1 && first?.kind === "unknown" ? foundBy(first.from ?? []) : [path];
    const tree = listed.find(
      (one) =>
        one.pieces.some((piece) => piece.kind === "glob" && piece.text.includes("**")) &&
        !REMAKEABLE.has(scene.place(one, command)),
    );
    if (tree !== undefined) return render(tree);
  }
  return null;
}

const emptied: Rule = {
  id: "empty-tree",
  group: "deletion",
  severity: "high",
  explanation: "It overwrites every file it finds: nothing of what was in them stays.",
  instead: "Name the one file that is meant.",
  alternatives: ["find . -name '*.log' -print", "truncate -s 0 logs/app.log"],
  references: ["https://man7.org/linux/man-pages/man1/truncate.1.html"],
  hits: [
    "find . -type f -exec truncate -s 0 {} +",
    'for f in $(git ls-files); do > "$f"; done',
    "find . -type f -exec cp /dev/null {} \\;",
    "find src -type f -print0 | xargs -0 truncate -s 0",
  ],
  misses: ["find logs -type f -exec truncate -s 0 {} +", "> out.txt", "find . -name '*.ts' -exec cat {} + > all.txt"],
  when: ({ program, redirections }) =>
    redirections.length > 0 || /^(truncate|cp|dd|tee|install|sponge)$/.test(program ?? ""),
  test: emptiesTree,
};

/** Rules about deleting files and trees. */
export const deletion: readonly Rule[] = [...rulesAboutDeletion.map((rule) => ({ ...rule, when: mayDelete })), emptied];
