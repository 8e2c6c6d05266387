import { readTable } from "../redteam/table.js";
import type { Random } from "./random.js";

const seeds: readonly string[] = [...readTable("attempts.txt"), ...readTable("harmless.txt")].map(
  ({ command }) => command,
);

const words: readonly string[] = [
  ..."; & | && || ( ) { } $( ` <( >( ${ $(( [[ ]] < > >> << <<< >& 2>&1 ' \" \\ $ * ? [ ] ~ # ! = : % ^ , .. /".split(
    " ",
  ),
  ..."if then else fi for in do done while until case esac function select coproc time eval exec sudo env xargs".split(
    " ",
  ),
  "\n",
  "\t",
  "\0",
  "\u2028",
  "\ud800",
  "\ufdd0",
  "💥",
  "$'\\x2f'",
  "${x:-$(y)}",
  "<<E\na\nE\n",
  "$((1<<2))",
  "{a,b}{c,d}{e,f}{g,h}",
  "{1..9999}",
  "A=$A$A;",
  "__proto__",
  "constructor",
  "python3 -c '",
  "base64 -d",
  "%USERPROFILE%",
  "$env:X",
];

/** How a command becomes a longer one around it. */
const around: readonly ((command: string) => string)[] = [
  (command) => `sh -c '${command.replaceAll("'", "'\\''")}'`,
  (command) => `eval "${command.replace(/["\\$`]/g, "\\$&")}"`,
  (command) => `echo ${Buffer.from(command).toString("base64")} | base64 -d | sh`,
  (command) => `f() { ${command}; }; f`,
  (command) => `for x in a b; do ${command}; done`,
  (command) => `echo $(${command})`,
  (command) => `bash <<'EOT'\n${command}\nEOT`,
  (command) => `sudo env A=b timeout 5 ${command}`,
  (command) => `cd a && ${command} || ${command}`,
  (command) => `python3 -c 'import os; os.system(${JSON.stringify(command)})'`,
  (command) => `powershell -c "${command}"`,
];

/** One command: one of the tables with a few things changed, put together, wrapped or repeated. */
export function makeCommand(random: Random): string {
  let text = random.pick(seeds);
  for (let i = 1 + random.below(5); i > 0; i--) text = mutate(random, text);
  return text;
}

function mutate(random: Random, text: string): string {
  const [start, end] = random.range(text.length, 30);
  const piece = text.slice(start, end);
  switch (random.below(9)) {
    case 0:
      return text.slice(0, start) + text.slice(end);
    case 1:
      return text.slice(0, end) + piece.repeat(1 + random.below(random.once(20) ? 2_000 : 8)) + text.slice(end);
    case 2:
      return text.slice(0, start) + random.pick(words) + text.slice(end);
    case 3:
      return text.slice(0, start) + random.pick(words) + text.slice(start);
    case 4:
      return `${text}${random.pick([" ", "; ", " && ", " | ", "\n", ""])}${random.pick(seeds)}`;
    case 5:
      return text.length > 20_000 ? text : random.pick(around)(text);
    case 6:
      return (
        text.slice(0, start) +
        random.pick(words).repeat(1 + random.below(random.once(20) ? 3_000 : 40)) +
        text.slice(start)
      );
    case 7:
      return text.slice(0, start) + random.pick(seeds).slice(0, 40) + text.slice(end);
    default:
      return text.slice(0, start) + [...piece].reverse().join("") + text.slice(end);
  }
}
