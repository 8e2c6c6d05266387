import { render, type SimpleCommand } from "@hooks/shell";
import { argumentsOf, has, textsOf } from "../arguments.js";
import type { Rule } from "../rule.js";
import { type Scene, sourcesOf } from "../scene.js";
import { writesOf } from "../writes.js";

const VITAL =
  /^(systemd|init|launchd|kernel_task|sshd|dbus-daemon|dockerd|containerd|xorg|gnome-shell|windowserver|loginwindow|finder|csrss|winlogon|wininit|lsass|services|smss|explorer|svchost)(\.exe)?$/i;
const ALL_PROCESSES = /^(\.|\.\*|\^|\.\+|\*|\[.*|""|\S?)$/;

/** Whether a filter lets some lines of a list through; `awk '{print $2}'` lets all of them. */
function selectsSome({ program, argv }: SimpleCommand): boolean {
  if (/^(grep|egrep|rg|sed|head|tail)$/.test(program ?? "")) return true;
  return (
    /^[gm]?awk$/.test(program ?? "") &&
    !textsOf(argv.slice(1)).some((text) => /^\s*(NR\s*>\s*1\s*)?\{\s*print\b[^}]*\}\s*$/.test(text))
  );
}

/** `os.kill(-1, 9)`, `Process.kill(9, -1)`. */
function killsByCode({ code }: SimpleCommand): string | null {
  const call = code?.calls.find(
    ({ name, args }) => /(^|[.:])kill$/.test(name) && args.some(({ text }) => text === "-1"),
  );
  return call === undefined ? null : `${call.name} of -1`;
}

function killsEverything(command: SimpleCommand, scene: Scene): string | null {
  if (command.code !== null) return killsByCode(command);
  const texts = textsOf(command.argv.slice(1));
  if (command.program === "kill") {
    if (texts[0] === "-l" || texts[0] === "-L") return null;
    const end = texts.indexOf("--");
    // `kill -1 123` sends a signal; `kill -9 -1` and `kill -- -1` have no other target than everything.
    const targets =
      end === -1
        ? texts.slice(texts[0]?.startsWith("-") ? (/^-(s|n)$/.test(texts[0]) ? 2 : 1) : 0)
        : texts.slice(end + 1);
    const found = targets.find((text) => text === "-1" || text === "1");
    if (found !== undefined) return found;
    if (texts.length === 1 && texts[0] === "-1") return "-1";
    const sources = sourcesOf(command);
    const listsAll = sources.some(
      ({ program, argv }) =>
        (program === "ps" && !/grep|awk|-[pC]\b/.test(argv.map(render).join(" "))) ||
        (program === "pgrep" && textsOf(argv.slice(1)).every((text) => /^-/.test(text) || ALL_PROCESSES.test(text))),
    );
    return listsAll && !sources.some(selectsSome) ? "every process it is given" : null;
  }
  if (command.program === "loginctl")
    return /^(terminate|kill)-(user|session|seat)$/.test(texts[0] ?? "") ? texts.join(" ") : null;
  if (command.program === "fuser") {
    const { options, operands } = argumentsOf(command, { short: "nM" });
    return has(options, "-k", "--kill") ? scene.find(operands, command, "root", "home", "system", "mount") : null;
  }
  if (command.program === "killall5") return "every process";
  const { options, operands } = argumentsOf(command, {
    short: "sugGtUFoyP",
    long: ["signal", "user", "euid", "uid", "group"],
  });
  const names = operands.map(render).filter((text) => !/^-/.test(text));
  const isPattern = command.program === "pkill" || has(options, "-r", "--regexp");
  const vital = names.find((name) => VITAL.test(name) || (isPattern && ALL_PROCESSES.test(name)));
  if (vital !== undefined) return vital === "" ? "every process" : vital;
  const byUser = options.some(({ name }) => /^(-u|-U|--user|--euid|--uid)$/.test(name));
  return byUser && names.length === 0 ? "every process of a user" : null;
}

function mayKill({ program, code }: SimpleCommand): boolean {
  return (
    /^(kill|pkill|killall|killall5|skill|loginctl|fuser)$/.test(program ?? "") ||
    (code !== null && code.calls.length > 0)
  );
}

/** A loop without an end, and `fork while`, in the languages of one-liners; the blanks are as many as anybody types. */
const ENDLESS = /\bwhile\s{0,20}\(?\s{0,20}(?:1|true)\b|\bloop\b|\bfor\s{0,20}\(\s{0,20};\s{0,20};\s{0,20}\)/i;
const FORKS_WHILE = /fork\s{0,20}(?:\(\s{0,20}\))?\s{0,20}while\b|while\s{1,20}1\s{0,20}:/i;

/** The well-known one without its blanks, which no shell takes and everybody means. */
const GLUED_BOMB = /([\w:.]{1,32})\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}/;

/** Rules about the machine as a whole. */
export const system: readonly Rule[] = [
  {
    id: "fork-bomb",
    group: "system",
    severity: "catastrophic",
    explanation: "It starts itself again and again until the machine stands still.",
    instead: "Write a loop with an end.",
    alternatives: ["for i in 1 2 3; do echo $i; done"],
    references: ["https://en.wikipedia.org/wiki/Fork_bomb"],
    hits: [
      ":(){ :|:& };:",
      "f() { f | f & }; f",
      "bomb() { bomb & bomb; }; bomb",
      ":(){:|:&};:",
      "while true; do bash & done",
      "for ((;;)); do ./a.sh & done",
      "perl -e 'fork while 1'",
      "python3 -c 'import os\nwhile True: os.fork()'",
    ],
    misses: [
      "f() { echo a; }; f",
      "sleep 1 &",
      "while true; do ./poll & wait; done",
      "f() { f2; }; f",
      "python3 -c 'import os; os.fork()'",
    ],
    whole: ({ analysis, text }) =>
      analysis.recursive.find(({ forks }) => forks)?.name ??
      (analysis.indeterminate.some(({ code }) => code === "unparsable") && text.length < 1_000
        ? (GLUED_BOMB.exec(text)?.[0] ?? null)
        : null),
    test: (command) => {
      const source = command.code === null ? "" : render(command.code.source);
      if (!/\bfork\b/.test(source)) return null;
      const loop = ENDLESS.exec(source);
      const isInside = loop !== null && /\bfork/i.test(source.slice(loop.index + loop[0].length));
      return isInside || FORKS_WHILE.test(source) ? "fork without end" : null;
    },
  },
  {
    id: "shutdown",
    group: "system",
    severity: "high",
    explanation: "It turns the machine off, or starts it anew, under everything that runs on it.",
    instead: "Restart the one service that is meant.",
    alternatives: ["systemctl status nginx", "shutdown -c"],
    references: ["https://man7.org/linux/man-pages/man8/shutdown.8.html"],
    hits: [
      "shutdown -h now",
      "sudo reboot",
      "systemctl poweroff",
      "systemctl isolate rescue.target",
      "init 0",
      "echo b > /proc/sysrq-trigger",
      "osascript -e 'tell app \"System Events\" to shut down'",
    ],
    misses: ["shutdown -c", "systemctl status x", "grep reboot log", "echo shutdown"],
    test: (command) => {
      const { program } = command;
      if (program === null && command.redirections.length === 0) return null;
      const texts = textsOf(command.argv.slice(1));
      if (command.redirections.length > 0 || program === "tee") {
        const trigger = writesOf(command).find(({ path }) => path.text === "/proc/sysrq-trigger");
        if (trigger !== undefined) return "/proc/sysrq-trigger";
      }
      if (program === "shutdown")
        return texts.some((text) => /^(-c|-k|\/a|-a|--show)$/i.test(text)) ? null : texts.join(" ");
      if (
        program === "reboot" ||
        program === "halt" ||
        program === "poweroff" ||
        program === "stop-computer" ||
        program === "restart-computer"
      )
        return texts.some((text) => /^(-w|--wtmp-only|-whatif)$/i.test(text)) ? null : program;
      if (program === "init" || program === "telinit")
        return /^[016]$/.test(texts[0] ?? "") ? `runlevel ${texts[0]}` : null;
      if (program === "systemctl" || program === "loginctl")
        return (
          texts.find((text) =>
            /^(poweroff|reboot|halt|kexec|suspend|hibernate|soft-reboot|rescue|emergency|isolate)$/.test(text),
          ) ?? null
        );
      if (program === "launchctl") return texts[0] === "reboot" ? "launchctl reboot" : null;
      if (program === "pmset") return texts.find((text) => /^(sleepnow|shutdown|restart)$/.test(text)) ?? null;
      if (program === "osascript" && command.code !== null)
        return /\b(shut down|restart)\b/.test(render(command.code.source)) ? "shut down" : null;
      return program === "kexec" && texts.some((text) => /^(-e|--exec)$/.test(text)) ? "kexec" : null;
    },
  },
  {
    id: "kill-everything",
    group: "system",
    severity: "high",
    explanation: "It ends every process, or one the whole machine needs.",
    instead: "Find the process by its port or its name, and end that one by its number.",
    alternatives: ["lsof -i :3000", "kill 12345", "pkill -f vite"],
    references: ["https://man7.org/linux/man-pages/man1/kill.1.html"],
    hits: [
      "kill -9 -1",
      "kill -KILL -- -1",
      "pkill -9 -u me",
      "killall -9 systemd",
      "pkill -f .",
      "kill -9 1",
      "kill -9 $(ps -A -o pid=)",
      "ps aux | awk '{print $2}' | xargs kill -9",
      "killall -9 -r '.*'",
      "loginctl terminate-user me",
      "fuser -km /home",
      "python3 -c 'import os; os.kill(-1, 9)'",
    ],
    misses: [
      "kill -9 12345",
      "kill -1 4242",
      "pkill node",
      "killall node",
      "kill -l",
      "kill $(lsof -t -i:3000)",
      "kill -9 $(pgrep node)",
      "ps aux | grep node | awk '{print $2}' | xargs kill",
      "fuser -k 3000/tcp",
    ],
    when: mayKill,
    test: killsEverything,
  },
  {
    id: "crontab-remove",
    group: "system",
    severity: "high",
    explanation: "It deletes every scheduled job of the user, without a copy.",
    instead: "Save the table, and change the line that is meant.",
    alternatives: ["crontab -l > crontab.bak"],
    references: ["https://man7.org/linux/man-pages/man1/crontab.1.html"],
    hits: ["crontab -r", "crontab -u me -r", "crontab /dev/null", "echo | crontab -", "crontab < /dev/null"],
    misses: ["crontab -l", "crontab -e", "crontab jobs.txt"],
    programs: ["crontab"],
    test: (command) => {
      const { stdin } = command;
      const { options, operands } = argumentsOf(command, { short: "u" });
      if (has(options, "-r") || operands[0]?.text === "/dev/null") return "all jobs";
      if (has(options, "-l", "-e") || (operands.length > 0 && operands[0]?.text !== "-")) return null;
      const isEmpty =
        (stdin.kind === "file" && stdin.path.text === "/dev/null") ||
        (stdin.kind === "text" && stdin.text.text?.trim() === "");
      return isEmpty ? "all jobs" : null;
    },
  },
  {
    id: "crontab-replace",
    group: "system",
    severity: "medium",
    explanation: "It replaces every scheduled job of the user by the ones it is given.",
    instead: "Add to the table there is.",
    alternatives: ["(crontab -l; echo '0 3 * * * /usr/local/bin/backup') | crontab -"],
    references: ["https://man7.org/linux/man-pages/man1/crontab.1.html"],
    hits: ["echo '0 3 * * * /usr/local/bin/backup' | crontab -"],
    misses: ["crontab -l", "(crontab -l; echo '0 3 * * * ls') | crontab -", "crontab -l | grep -v old | crontab -"],
    programs: ["crontab"],
    test: (command) => {
      const { operands, options } = argumentsOf(command, { short: "u" });
      if (command.stdin.kind !== "text" || has(options, "-l", "-e") || (operands[0]?.text ?? "-") !== "-") return null;
      return sourcesOf(command).some(({ program }) => program === "crontab") ? null : "the table as it was";
    },
  },
];
