import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../house/repository.js";
import type { Random } from "./random.js";
import { ProgramMaker } from "./starlark-programs.js";

const directory = join(root, "test/conformance/starlark");

/** Programs of the conformance tests, without what they expect. */
const seeds: readonly string[] = readdirSync(directory)
  .flatMap((file) => readFileSync(join(directory, file), "utf8").split("\n---\n"))
  .map((chunk) => chunk.replace(/###.*/g, "").replace(/assert_\w*/g, "print"));

const WORDS =
  "def f(x):\n    return x\n|x = |[|]|(|)|{|}|:|,|\n|\n    |\n\t|if |else |elif |for |in |while |lambda |lambda: |not |and |or |return |break|pass|load|load('m', 'a')|*|**|%|//|<<|>>|==|+=|=|:=|.|..|'|\"|'''|\\|\\\n|#|;|@|`|$|!|?|\0|\u2028|\ufeff|\ud800|💥|0x|1e|1e999|0b2|09|'\\q'|b'\\xff'|r'\\'|f'{x}'|None|True|__proto__|constructor|range(10**9)|'a' * 1000000000|1 << 1000000000|[0] * 1000000000|a" +
  "+a".repeat(300) +
  `|${"(".repeat(300)}|${"[".repeat(150)}${"]".repeat(150)}|${"-".repeat(300)}1|${"not ".repeat(300)}1|x${".a".repeat(400)}|x${"[0]".repeat(400)}|x${"()".repeat(400)}|${"lambda: ".repeat(250)}1|${"1 if 1 else ".repeat(250)}1|${"9".repeat(400)}`;
const words = WORDS.split("|");

/** One program: made at random, or one that works with a few things changed. */
export function makeProgram(random: Random): { readonly origin: string; readonly text: string } {
  const maker = new ProgramMaker(random);
  if (random.once(2)) return { origin: "random", text: maker.program() };
  let text = random.once(3) ? maker.program() : random.pick(seeds);
  for (let i = 1 + random.below(3); i > 0; i--) text = mutate(random, text, maker);
  return { origin: "mutated", text };
}

function mutate(random: Random, text: string, maker: ProgramMaker): string {
  const [start, end] = random.range(text.length, 40);
  const piece = text.slice(start, end);
  switch (random.below(7)) {
    case 0:
      return text.slice(0, start) + text.slice(end);
    case 1:
      return text.slice(0, end) + piece.repeat(1 + random.below(5)) + text.slice(end);
    case 2:
      return text.slice(0, start) + random.pick(words) + text.slice(end);
    case 3:
      return text.slice(0, start) + random.pick(words) + text.slice(start);
    case 4: {
      const [from, to] = random.range(text.length, 40);
      return text.slice(0, start) + text.slice(from, to) + text.slice(end);
    }
    case 5:
      return text.slice(0, start) + String.fromCharCode(random.below(random.once(2) ? 128 : 0x10000)) + text.slice(end);
    default:
      return text + maker.program();
  }
}
