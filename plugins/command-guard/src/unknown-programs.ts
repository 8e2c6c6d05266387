import { type Analysis, analyseWords, type SimpleCommand } from "@hooks/shell";

/** Programs that show, search or store their words, and programs whose words the rules know already. */
const KNOWN = new Set(
  "echo printf print cat bat less more head tail tac nl grep egrep fgrep rg ag ack git hg svn jj man help info apropos whatis tldr cheat type which whereis where command hash alias unalias export declare local typeset readonly set unset test [ [[ : true false read say figlet cowsay notify-send logger wall write mail tee touch mkdir ls dir stat file wc sort uniq cut tr awk gawk sed jq yq diff cmp comm cp mv ln rm rmdir chmod chown install dd docker podman kubectl helm apt apt-get dnf yum brew pip pip3 npm pnpm yarn bun cargo go gem composer make code vi vim nvim nano emacs open xdg-open gh glab hub aws gcloud az gsutil s3cmd rclone mc dvc curl wget ssh scp rsync complete compgen bind trap kill pkill pgrep ps crontab python python3 node perl ruby php sqlite3 psql mysql expr let basename dirname realpath readlink find fd xargs parallel tar zip unzip gzip bzip2 xz git-lfs shellcheck shfmt command-guard harn history fc explainshell ri".split(
    " ",
  ),
);
/** Words with which a command that somebody runs through another begins. */
const STARTS =
  /^(\S*\/)?(rm|shred|dd|mkfs(\.\w+)?|wipefs|sudo|doas|sh|bash|zsh|dash|ksh|env|find|chmod|chown|git|python3?|perl|node|ruby)$/;
const FARTHEST = 6;

/** Enough for a command line; a program of somebody else's that hides more is asked about. */
const STEPS = 250;

/** What the words of a program nobody knows would run, if it runs them: `withlock rm -rf /`. Null where they begin no command. */
export function mayStart(command: SimpleCommand): Pick<Analysis, "commands" | "indeterminate"> | null {
  const { program, argv, wraps, code, cwd } = command;
  if (program === null || wraps || code !== null || argv.length < 3 || KNOWN.has(program)) return null;
  for (let i = 1; i < argv.length && i <= FARTHEST; i++) {
    const word = argv[i];
    if (word?.text == null || !STARTS.test(word.text)) continue;
    const { commands, indeterminate } = analyseWords(argv.slice(i), cwd, { steps: STEPS });
    return {
      commands: commands.map((inner) => ({
        ...inner,
        wrappers: [...command.wrappers, program, ...inner.wrappers],
        elsewhere: command.elsewhere,
      })),
      indeterminate: indeterminate.filter(({ code }) => code === "too-large"),
    };
  }
  return null;
}
