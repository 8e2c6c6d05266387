import { render, type SimpleCommand } from "@hooks/shell";
import { argumentsOf, has, hasExactly } from "../arguments.js";
import type { Rule } from "../rule.js";
import type { Scene } from "../scene.js";

const CHANGERS = ["chmod", "chown", "chgrp", "setfacl", "chattr", "gchmod", "gchown", "chflags", "xattr", "restorecon"];

function changesTree(command: SimpleCommand, scene: Scene): string | null {
  const { options, operands } = argumentsOf(command, {
    short: command.program === "setfacl" ? "mxMX" : "",
    long: ["reference", "from"],
  });
  const recursive = has(options, "-R", "--recursive") || (command.program === "setfacl" && hasExactly(options, "-R"));
  const paths = hasExactly(options, "--reference") || command.program === "setfacl" ? operands : operands.slice(1);
  const changed = command.program === "chattr" ? operands.filter(({ text }) => !/^[+=]/.test(text ?? "")) : paths;
  // `find / -exec chmod 777 {} +`: every file of a tree is the tree.
  const isTree = changed.some(({ pieces }) =>
    pieces.some((piece) => piece.kind === "glob" && piece.text.includes("**")),
  );
  return recursive || isTree
    ? scene.find(changed, command, "root", "home", "system", "parent", "mount", "unset")
    : null;
}

/** Modes with which nobody, or everybody, can do everything. */
function isExtreme(mode: string): boolean {
  return /^0?[0-7]?(777|666|000|[0-7][0-7][67])$|^[ugoa]*[+=][rwxX]*w[rwxX]*$/.test(mode) &&
    !/^(u|g|ug)?[+=]/.test(mode)
    ? /^0?[0-7]?(777|666|000)$|^(a|o|ugo|go|uo)?[+=][rwxX]*w/.test(mode) && !/^\+w$/.test(mode)
    : /^(a|ugo)?-rwx$|^(a|ugo)?=$/.test(mode);
}

function modesOf(command: SimpleCommand): {
  readonly mode: string;
  readonly paths: SimpleCommand["argv"];
  readonly recursive: boolean;
} {
  const words = command.argv.slice(1);
  // `chmod -x file`: a mode may look like an option.
  const at = words.findIndex(
    ({ text }) => text !== null && !/^--/.test(text) && (!text.startsWith("-") || /^-[rwxXst]+$/.test(text)),
  );
  const recursive = words.some(({ text }) => /^-[a-zA-Z]*R/.test(text ?? "") || text === "--recursive");
  return {
    mode: words[at]?.text ?? "",
    paths: words.slice(at + 1).filter(({ text }) => !/^-/.test(text ?? "")),
    recursive,
  };
}

function mayChangeModes({ program, code }: SimpleCommand): boolean {
  return program !== null && (/^(g?chmod|setcap|install)$/.test(program) || (code !== null && code.calls.length > 0));
}

/** Programs that do whatever they are told, with whatever rights they have. */
const SHELLS = /(^|\/)(ba|z|da|k)?sh$|\/(python[\d.]*|perl|ruby|node|php|vim?|find|tar|env|awk)$/;

/** Rules about permissions and ownership. */
export const permissions: readonly Rule[] = [
  {
    id: "permissions-tree",
    group: "permissions",
    severity: "high",
    explanation:
      "It changes permissions or owners of a whole system or home directory; many programs then refuse to work.",
    instead: "Change the one file or directory that is meant.",
    alternatives: ["chmod +x scripts/run.sh", "chown -R $USER ./build"],
    references: ["https://man7.org/linux/man-pages/man1/chmod.1.html"],
    hits: [
      "chmod -R 777 /",
      "find / -exec chown me {} +",
      "sudo chown -R me /usr",
      "chmod -R 000 ~",
      "chgrp -R users /etc",
      "setfacl -R -m u:me:rwx /",
    ],
    misses: ["chmod -R u+w build", "chown -R me ./dist", "chmod 755 run.sh", "chmod -R 755 /tmp/x"],
    programs: CHANGERS,
    test: changesTree,
  },
  {
    id: "permissions-system-file",
    group: "permissions",
    severity: "high",
    explanation:
      "It opens a file of the system to everybody, closes it to everybody, or lets everybody run it as its owner.",
    instead: "Leave files of the system to the package manager.",
    alternatives: ["ls -l /etc/passwd"],
    references: ["https://man7.org/linux/man-pages/man1/chmod.1.html"],
    hits: [
      "chmod 777 /etc/passwd",
      "chmod 000 /",
      "sudo chmod u+s /bin/bash",
      "chmod 4755 /bin/sh",
      "chmod -x /bin/chmod",
      "python3 -c 'import os; os.chmod(\"/\", 0)'",
      "setcap cap_setuid+ep /usr/bin/python3",
      "sudo install -m 4755 /bin/bash /tmp/rootbash",
    ],
    misses: ["chmod 644 a.txt", "chmod +x /usr/local/bin/tool", "ls -l /etc"],
    when: mayChangeModes,
    test: (command, scene) => {
      const called = command.code?.calls.find(({ name }) =>
        /(^|[.:])(chmod|chown|lchown|chmodSync|chownSync)$/.test(name),
      );
      if (called !== undefined) return scene.find(called.args, command, "root", "system", "home");
      if (command.program === "setcap")
        return command.argv.some(({ text }) => SHELLS.test(text ?? "")) ? "an interpreter" : null;
      if (command.program === "install") {
        const { options, operands } = argumentsOf(command, { short: "mogtS", long: ["mode", "owner", "group"] });
        const given = options.find(({ name }) => name === "-m" || name === "--mode")?.value?.text ?? "";
        const isInterpreter = operands.some(({ text }) => SHELLS.test(text ?? ""));
        return isInterpreter && /^[2-7][0-7]{3}$|[ug][^,]*s/.test(given) ? `an interpreter with mode ${given}` : null;
      }
      if (command.program !== "chmod" && command.program !== "gchmod") return null;
      const { mode, paths } = modesOf(command);
      const isRisky =
        isExtreme(mode) ||
        /^[0-7]?[2-7][0-7]{3}$/.test(mode) ||
        /[+=][rwxX]*s/.test(mode) ||
        /^-/.test(mode) ||
        /-[rwx]/.test(mode);
      return isRisky ? scene.find(paths, command, "root", "system", "home") : null;
    },
  },
  {
    id: "permissions-open-tree",
    group: "permissions",
    severity: "medium",
    explanation: "It lets everybody on the machine write to a whole tree, or nobody read it.",
    instead: "Give the rights to those who need them: u+rwX, g+w.",
    alternatives: ["chmod -R u+rwX src"],
    references: ["https://man7.org/linux/man-pages/man1/chmod.1.html"],
    hits: ["chmod -R 777 .", "chmod -R a+rwx src", "chmod -R 000 src"],
    misses: ["chmod -R 755 src", "chmod 777 a.sock", "chmod -R 777 /tmp/x", "chmod -R u+w src"],
    programs: ["chmod", "gchmod"],
    test: (command, scene) => {
      const { mode, paths, recursive } = modesOf(command);
      if (!recursive || !isExtreme(mode)) return null;
      const found = paths.find((path) => !/^(temp|build)$/.test(scene.place(path, command)));
      return found === undefined ? null : `${mode} ${render(found)}`;
    },
  },
];
