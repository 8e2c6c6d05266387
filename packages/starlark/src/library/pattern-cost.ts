/** What even the shortest pattern costs to compile. */
const STEPS_PER_PATTERN = 50;
/** What a class of Unicode costs to compile: it is made of hundreds of ranges, and of more where case does not count. */
const STEPS_PER_CLASS = 500;
/** What it costs to compile one atom, as often as it is written out. */
const STEPS_PER_ATOM = 2;
/** What a range beyond ASCII costs where case does not count: every character of it is looked up. */
const STEPS_PER_FOLDED_RANGE = 4_400;
const IGNORES_CASE = /\(\?[a-zA-Z]*i/;
const REPEAT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** The steps it takes to compile a pattern at most, known before it is compiled. */
export function compileSteps(pattern: string): number {
  const classes = pattern.match(/\\[pP]/g)?.length ?? 0;
  const folded = IGNORES_CASE.test(pattern) ? STEPS_PER_FOLDED_RANGE * wideRangesOf(pattern) : 0;
  return STEPS_PER_PATTERN + STEPS_PER_ATOM * atomsOf(pattern) + STEPS_PER_CLASS * classes + folded;
}

/** How many ranges there may be at most in classes that name characters beyond ASCII. */
function wideRangesOf(pattern: string): number {
  let ranges = 0;
  for (let at = pattern.indexOf("["); at !== -1; at = pattern.indexOf("[", at + 1)) {
    const own = pattern.slice(at, endOfClass(pattern, at) + 1);
    if (/[^\0-\x7f]|\\x\{/.test(own)) ranges += own.split("-").length - 1;
  }
  return ranges;
}

/** How many atoms a pattern has when its repeats are written out: `((a{10}){10}){10}` has more than a thousand. */
function atomsOf(pattern: string): number {
  const open: number[] = [];
  let sum = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    REPEAT.lastIndex = at;
    const repeat = character === "{" ? REPEAT.exec(pattern) : null;
    if (repeat !== null) {
      const [text, least = "0", most = ""] = repeat;
      const copies = Math.max(Number(least), Number(most), 1);
      sum += last * (copies - 1);
      last *= copies;
      at += text.length - 1;
    } else if (character === "(") {
      open.push(sum);
      sum = 0;
    } else {
      const end = character === "\\" ? at + 1 : character === "[" ? endOfClass(pattern, at) : at;
      last = character === ")" ? sum + 1 : end - at + 1;
      sum = character === ")" ? (open.pop() ?? 0) + last : sum + last;
      at = end;
    }
  }
  return open.reduce((all, own) => all + own, sum);
}

function endOfClass(pattern: string, start: number): number {
  // A bracket that comes first closes nothing.
  const first = pattern[start + 1] === "^" ? start + 2 : start + 1;
  for (let at = first + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]") return at;
  }
  return pattern.length - 1;
}
