import type { Redirection } from "./analysis.js";
import { readOptions } from "./options.js";
import { resolvePath } from "./path.js";
import type { State } from "./state.js";
import { dropStart, render, startOf, type Word, wordOf } from "./word.js";

/** Where programs are installed. */
const PROGRAMS = /^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/([\w.+-]+)$/;

/** Programs that treat a link as the link it is. */
const NOT_FOLLOWING = /^(rm|unlink|mv|ln|ls|readlink|stat|lstat|file|test|trash)$/;

/** Keeps what `ln -s` makes a name stand for, and under which other name a program is put. */
export function keepLinks(program: string, argv: readonly Word[], cwd: Word, state: State): void {
  if (!/^(ln|cp|mv|install)$/.test(program)) return;
  const { options, operands } = readOptions(argv.slice(1), { short: "tSmog", long: ["target-directory", "mode"] });
  const [from, to] = operands;
  if (from === undefined || to === undefined || operands.length !== 2) return;
  const name = PROGRAMS.exec(from.text ?? "")?.[1];
  const path = render(resolvePath(to, cwd));
  if (name !== undefined) state.programs.set(path, name).set(`${path}/${name}`, name);
  else if (program === "ln" && options.some(({ name: option }) => option === "-s" || option === "--symbolic"))
    state.links.set(path, resolvePath(from, cwd));
}

/** The words of a command, and its redirections, with the links that were made before it followed. */
export function followLinks<C extends { argv: readonly Word[]; redirections: readonly Redirection[]; cwd: Word }>(
  call: C,
  program: string | null,
  state: State,
): C {
  if (state.links.size === 0) return call;
  const follows = program !== null && !NOT_FOLLOWING.test(program);
  return {
    ...call,
    argv: call.argv.map((word, index) => (index === 0 ? word : followed(word, call.cwd, follows, state))),
    redirections: call.redirections.map((redirection) =>
      redirection.kind === "text" || redirection.kind === "duplicate"
        ? redirection
        : { ...redirection, target: followed(redirection.target, call.cwd, true, state) },
    ),
  };
}

function followed(word: Word, cwd: Word, follows: boolean, state: State): Word {
  if (word.pieces.length === 0 || startOf(word).startsWith("-")) return word;
  const whole = resolvePath(word, cwd);
  const start = startOf(whole);
  for (const [path, target] of state.links) {
    const isInside = start.startsWith(`${path}/`);
    if (!isInside && !(start === path && whole.text !== null && (follows || word.text?.endsWith("/")))) continue;
    return resolvePath(wordOf([...target.pieces, ...dropStart(whole, path.length).pieces]), cwd);
  }
  return word;
}
