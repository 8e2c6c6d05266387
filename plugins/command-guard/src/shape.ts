import { render, type SimpleCommand } from "@hooks/shell";

/**
 * A command by its words: `terraform destroy`, `aws * delete-*`. The first is the program, the others stand among its
 * arguments in that order; `*` matches any part of a word, `|` parts alternatives.
 */
export type Shape = readonly WordPattern[];

/** Every way a word may be written, each as the texts between its stars. */
type WordPattern = readonly (readonly string[])[];

export function shapeOf(text: string): Shape {
  return text.toLowerCase().trim().split(/\s+/).map(patternOf);
}

function patternOf(word: string): WordPattern {
  return word.split("|").map((way) => way.split(/\*+/));
}

function matches(pattern: WordPattern, text: string): boolean {
  const lower = text.toLowerCase();
  return pattern.some((parts) => hasParts(parts, lower));
}

/** Whether a text is some parts with anything between them. Taking the first place for each is enough, and linear. */
function hasParts(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** Whether a command has the words of a shape. */
export function hasShape({ program, argv }: SimpleCommand, shape: Shape): boolean {
  const [first, ...rest] = shape;
  if (program === null || first === undefined || !matches(first, program)) return false;
  let at = 1;
  for (const word of rest) {
    while (at < argv.length && !matches(word, render(argv[at] as SimpleCommand["argv"][number]))) at++;
    if (at++ >= argv.length) return false;
  }
  return true;
}

/**
 * Whether a command is asked to do what a shape says: the words up to the first option are its subcommands, which stand
 * before any other operand. `kubectl auth can-i delete` is not `kubectl delete`.
 */
export function hasSubcommand(command: SimpleCommand, shape: Shape): boolean {
  const { program, argv } = command;
  const [first, ...rest] = shape;
  if (program === null || first === undefined || !matches(first, program)) return false;
  const end = rest.findIndex((pattern) => pattern.some(([start = ""]) => /^[-/]/.test(start)));
  const words = end === -1 ? rest : rest.slice(0, end);
  return matchesFrom(argv, 1, words) && (end === -1 || hasShape(command, shape));
}

/** An option, or `/f` of Windows; a path has another slash. */
const SWITCH = /^(-.|\/\w+(:[^/]*)?$)/;

function matchesFrom(argv: SimpleCommand["argv"], from: number, [pattern, ...rest]: Shape): boolean {
  if (pattern === undefined) return true;
  for (let at = from; at < argv.length; at++) {
    const text = render(argv[at] as SimpleCommand["argv"][number]);
    if (SWITCH.test(text)) continue;
    if (matches(pattern, text) && matchesFrom(argv, at + 1, rest)) return true;
    // What follows an option may be its value.
    if (!/^-[^=]*$/.test(render(argv[at - 1] as SimpleCommand["argv"][number]))) return false;
  }
  return false;
}

/** Whether a command is word for word what a shape says; a last `**` stands for any further words. */
export function isExactly({ program, argv }: SimpleCommand, shape: Shape, isOpenEnded: boolean): boolean {
  const [first, ...rest] = shape;
  if (program === null || first === undefined || !matches(first, program)) return false;
  const words = argv.slice(1);
  if (isOpenEnded ? words.length < rest.length : words.length !== rest.length) return false;
  return rest.every((pattern, index) => {
    const { text } = words[index] as SimpleCommand["argv"][number];
    // A path that climbs is another path.
    return text !== null && !/(^|\/)\.\.(\/|$)/.test(text) && matches(pattern, text);
  });
}
