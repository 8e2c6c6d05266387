import { RE2JS } from "re2js";
import type { Thread } from "../evaluator/thread.js";

const MAX_PATTERN = 1_000;
const MAX_TEXT = 1024 * 1024;
const MAX_MATCHES = 10_000;
const KEPT = 200;
/** What the engine does in one step, when it searches. */
const INSTRUCTIONS_PER_STEP = 256;
/** What even the shortest pattern costs to compile. */
const STEPS_PER_PATTERN = 50;
/** What a class of Unicode costs to compile: it is made of hundreds of ranges, and of more where case does not count. */
const STEPS_PER_CLASS = 500;

/** Compiling costs more than matching, and a policy asks the same few patterns again and again. */
const compiled = new Map<string, RE2JS>();

/** The groups of a match, the whole of it first; a group that took no part is null. */
export type Groups = readonly (string | null)[];

/** One text that is searched with one pattern, in time linear in the text, whatever the pattern; a run pays for it. */
export class PatternSearch {
  private readonly matcher: ReturnType<RE2JS["matcher"]>;
  private readonly instructions: number;
  private seen = 0;
  private matches = 0;

  constructor(
    private readonly thread: Thread,
    pattern: string,
    private readonly text: string,
  ) {
    if (text.length > MAX_TEXT) thread.fail(`the text is longer than ${MAX_TEXT} characters`);
    const expression = patternOf(thread, pattern);
    this.instructions = expression.programSize();
    this.matcher = expression.matcher(text);
  }

  /** A match at the start of the text; undefined where there is none. */
  atStart(): Groups | undefined {
    this.charge();
    return this.matcher.lookingAt() ? this.groups() : undefined;
  }

  /** The next match; undefined where there is none. */
  next(): Groups | undefined {
    if (this.matches === MAX_MATCHES) this.thread.fail(`more than ${MAX_MATCHES} matches`);
    this.charge();
    if (!this.matcher.find()) return undefined;
    this.matches++;
    this.seen = this.matcher.end();
    return this.groups();
  }

  /** The engine looks at each instruction of the pattern for each character it has not passed yet, and at no more. */
  private charge(): void {
    const characters = this.text.length - this.seen;
    this.thread.step(1 + Math.floor((this.instructions * characters) / INSTRUCTIONS_PER_STEP));
  }

  private groups(): Groups {
    const groups: (string | null)[] = [];
    for (let i = 0; i <= this.matcher.groupCount(); i++) {
      const group = this.matcher.group(i) ?? null;
      this.thread.charge(1, 24 + 2 * (group?.length ?? 0));
      groups.push(group);
    }
    return groups;
  }
}

function patternOf(thread: Thread, pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN) thread.fail(`the pattern is longer than ${MAX_PATTERN} characters`);
  // Also where it is known: what a run costs does not depend on those before it.
  thread.step(compileSteps(pattern));
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  try {
    const fresh = RE2JS.compile(pattern);
    if (compiled.size >= KEPT) compiled.clear();
    compiled.set(pattern, fresh);
    return fresh;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return thread.fail(`invalid pattern: ${reason.replace(/^error parsing regexp: /, "")}`);
  }
}

/** What compiling a pattern may cost: `{1000}` writes out what stands before it a thousand times. */
function compileSteps(pattern: string): number {
  let copies = 0;
  for (const [, least = "0", most = ""] of pattern.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    copies += Math.max(Number(least), Number(most));
  }
  const classes = pattern.match(/\\[pP]/g)?.length ?? 0;
  return STEPS_PER_PATTERN + pattern.length + Math.floor((copies * pattern.length) / 4) + STEPS_PER_CLASS * classes;
}
