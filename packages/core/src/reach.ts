/** Whether a text may hold an ASCII character; all others may be in any. */
export type Alphabet = (code: number) => boolean;

/** A compiled expression: the instructions of re2js, whose version is pinned for this. */
export interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  /** One character, or pairs that are ranges. */
  readonly runes: ArrayLike<number>;
}

const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const FAIL = 5;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const RUNE1 = 9;
const RUNE_ANY = 10;
const RUNE_ANY_NOT_NL = 11;

// What stands beside a position, as far as an assertion can tell: the end of the text, or a kind of character.
const EDGE = 0;
const NEWLINE = 1;
const WORD = 2;
const OTHER = 3;
const KINDS = [EDGE, NEWLINE, WORD, OTHER];

/**
 * Whether there is a text of these characters that an expression finds a match in. Decides it: the search goes through
 * every instruction with every kind of neighbour on either side, and each of them is visited once.
 */
export function canMatch({ inst, start }: Program, alphabet: Alphabet): boolean {
  const around = kindsIn([0, 0x10ffff], alphabet) | (1 << EDGE);
  const kinds = new Uint8Array(inst.length);
  const seen = new Uint16Array(inst.length);
  const todo: number[] = [];
  const visit = (pc: number, before: number, after: number) => {
    const bit = 1 << (before * 4 + after);
    if (((seen[pc] ?? 0) & bit) !== 0) return;
    seen[pc] = (seen[pc] ?? 0) | bit;
    todo.push(pc, before, after);
  };
  const enter = (pc: number, before: number) => {
    for (const after of KINDS) if ((around & (1 << after)) !== 0) visit(pc, before, after);
  };
  for (const before of KINDS) if ((around & (1 << before)) !== 0) enter(start, before);
  while (todo.length > 0) {
    const [pc = 0, before = 0, after = 0] = todo.splice(-3);
    const instruction = inst[pc];
    if (instruction === undefined) return true;
    const { op, out, arg } = instruction;
    switch (op) {
      case MATCH:
        return true;
      case FAIL:
        break;
      case ALT:
      case ALT_MATCH:
        visit(arg, before, after);
        visit(out, before, after);
        break;
      case CAPTURE:
      case NOP:
        visit(out, before, after);
        break;
      case EMPTY_WIDTH:
        if (holds(arg, before, after)) visit(out, before, after);
        break;
      case RUNE:
      case RUNE1:
      case RUNE_ANY:
      case RUNE_ANY_NOT_NL: {
        // The bit of the edge says that it has been worked out: no character is one.
        if (kinds[pc] === 0) kinds[pc] = kindsIn(rangesOf(instruction), alphabet) | (1 << EDGE);
        if (after !== EDGE && ((kinds[pc] ?? 0) & (1 << after)) !== 0) enter(out, after);
        break;
      }
      default:
        return true;
    }
  }
  return false;
}

function holds(assertions: number, before: number, after: number): boolean {
  const isBoundary = (before === WORD) !== (after === WORD);
  const given =
    (before === EDGE || before === NEWLINE ? 1 : 0) |
    (after === EDGE || after === NEWLINE ? 2 : 0) |
    (before === EDGE ? 4 : 0) |
    (after === EDGE ? 8 : 0) |
    (isBoundary ? 16 : 32);
  return (assertions & ~given) === 0;
}

function rangesOf({ op, runes }: Instruction): ArrayLike<number> {
  if (op === RUNE_ANY) return [0, 0x10ffff];
  if (op === RUNE_ANY_NOT_NL) return [0, 9, 11, 0x10ffff];
  if (runes.length !== 1) return runes;
  // A single character may stand for its other cases; one more that is found does no harm.
  const character = String.fromCodePoint(runes[0] ?? 0);
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  return cases.map((form) => form.codePointAt(0) ?? 0).flatMap((code) => [code, code]);
}

/** The kinds of characters in ranges, as bits. */
function kindsIn(ranges: ArrayLike<number>, alphabet: Alphabet): number {
  let kinds = 0;
  for (let place = 0; place + 1 < ranges.length; place += 2) {
    const [low = 0, high = 0] = [ranges[place], ranges[place + 1]];
    if (high > 0x7f) kinds |= 1 << OTHER;
    for (let code = low; code <= Math.min(high, 0x7f); code++) if (alphabet(code)) kinds |= 1 << kindOf(code);
  }
  return kinds;
}

function kindOf(code: number): number {
  if (code === 10) return NEWLINE;
  return /\w/.test(String.fromCharCode(code)) ? WORD : OTHER;
}
