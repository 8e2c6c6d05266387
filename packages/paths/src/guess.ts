import { readOptions, startOf, type Word } from "@hooks/shell";
import type { Collector } from "./shell.js";
import { valueUses, withoutStart } from "./values.js";

/** Options of many programs that are followed by a text for people or by an expression. */
const SAYS =
  /^--(?:title|body|message|subject|description|notes?|comment|grep|grep-invert|test-?path-?pattern|test-?name-?pattern|ignore-pattern|user-agent|header|query|route|public-path|commit-message)$/i;
const PUTS = /^(?:-o|--?(?:out|output|dest|log|save|dump|export|record)[\w-]*)$/i;

/** What an option calls output is written. */
export function accessOfOption(name: string): "read" | "write" {
  return /out|dest|log|save|write|dump|export|record/i.test(name) ? "write" : "read";
}

/** Of a program nobody knows: whatever looks like a path is one, and what an option calls output is written. */
export function guessUses(program: string, args: readonly Word[], collector: Collector): void {
  const { guess } = collector;
  const said = new Set(args.filter((_, place) => SAYS.test(args[place - 1]?.text ?? "")));
  const heard = args.filter((word) => !said.has(word));
  const { options, operands } = readOptions(heard, {});
  for (const word of operands) {
    const start = startOf(word);
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(start) && !/^file:/i.test(start)) continue;
    // DESTDIR=../x, /p:OutDir=../x, OPEN:../x
    const [, assigned] = /^(\/\w+:[\w.]*=?|[A-Z]{3,}[A-Z-]*:|[\w.-]+=)/.exec(start) ?? [];
    if (assigned !== undefined)
      valueUses(withoutStart(word, assigned.length), accessOfOption(assigned), `${program} ${assigned}`, collector);
    else guess(start.startsWith("@") ? withoutStart(word, 1) : word, "read", program);
  }
  let previous = "";
  for (const word of heard) {
    const start = startOf(word);
    if (PUTS.test(previous)) collector.take(word, "write", `${program} ${previous}`);
    previous = start.startsWith("-") ? start : "";
    // One dash and a whole word: -chdir=../x. A definition is read by somebody, perhaps: -DPREFIX=/usr
    const [, named] = /^(-[A-Za-z][\w-]+=)/.exec(start) ?? [];
    const isDefined = named?.startsWith("-D") === true;
    if (named !== undefined)
      valueUses(withoutStart(word, named.length), isDefined ? "read" : "write", `${program} ${named}`, collector);
    // Joined to its letter: -I/usr/include
    const [, letter] = /^(-[A-Za-z])(?:[/~]|\.\.\/)/.exec(start) ?? [];
    if (letter !== undefined) guess(withoutStart(word, 2), letter === "-o" ? "write" : "read", `${program} ${letter}`);
  }
  for (const { name, value } of options) {
    if (value !== null && !SAYS.test(name)) valueUses(value, accessOfOption(name), `${program} ${name}`, collector);
  }
}
