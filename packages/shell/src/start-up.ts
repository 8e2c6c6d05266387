import type { Word } from "./word.js";

/** Files a shell, git or a desktop runs on its own: what is put there is a command for later. */
const RUN_LATER =
  /(^|\/)(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|zlogout|kshrc|xprofile|xinitrc)|\.git\/hooks\/[\w-]+|\.githooks\/[\w-]+|\.husky\/[\w-]+)$|^\/etc\/(profile|bash\.bashrc|zsh\/\w+|profile\.d\/[\w.-]+|rc\.local|cron\.(daily|hourly|weekly|monthly)\/[\w.-]+)$/;

/** Tables of commands for cron. */
const CRONTAB = /^\/(etc\/crontab|etc\/cron\.d\/[\w.-]+|var\/spool\/cron\/(crontabs\/)?[\w.-]+)$/;

/** Files that tell a desktop or systemd what to start. */
const STARTED = /\/\.config\/autostart\/[^/]+\.desktop$|\/systemd\/(system|user)\/[^/]+\.service$/;
const STARTS = /^Exec(?:Start(?:Pre|Post)?|Stop|Reload)?=[-@+!]*(.+)$/gm;

/** The scripts that run later because a text is put into a file; none where nobody runs that file. */
export function textsForLater(path: string, content: Word): string[] {
  if (RUN_LATER.test(path)) return content.text === null ? [] : [content.text];
  if (STARTED.test(path))
    return content.text === null ? [] : [...content.text.matchAll(STARTS)].map((found) => found[1] ?? "");
  return CRONTAB.test(path) ? crontabLines(content, path.startsWith("/etc/")) : [];
}

/** The commands of a table, as far as it is certain; those of the whole machine have a user before them. */
export function crontabLines(table: Word, hasUsers: boolean): string[] {
  // What is not certain, such as the table there was before, has lines of its own.
  const text = table.pieces.map((piece) => (piece.kind === "text" ? piece.text : "\n")).join("");
  return (text.match(/[^\n]+/g) ?? []).flatMap((given) => {
    const line = given.trim();
    const command = /^(?:@\w+\s*|(?:[\d*,/a-zA-Z-]+\s+){5})(\S.*)$/s.exec(line)?.[1];
    if (command === undefined) return [];
    return hasUsers ? [command, command.replace(/^[a-z_][\w-]*\s+(?=\S)/, "")] : [command];
  });
}
