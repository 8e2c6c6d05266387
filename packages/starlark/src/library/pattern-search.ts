import { RE2JS, RE2JSException } from "re2js";
import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "../values/allocation.js";
import { compileSteps } from "./pattern-cost.js";

const MAX_PATTERN = 1_000;
const MAX_TEXT = 1024 * 1024;
const MAX_MATCHES = 10_000;
const KEPT = 200;
/** What the engine does in one step, when it searches. */
const INSTRUCTIONS_PER_STEP = 128;
/** Every instruction may copy the places of all groups: four of them take as long as the instruction itself. */
const GROUPS_PER_INSTRUCTION = 4;

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
    this.matcher = expression.matcher(text);
    this.instructions = expression.programSize() * (1 + this.matcher.groupCount() / GROUPS_PER_INSTRUCTION);
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
      this.thread.charge(1, UNITS.part + 8 + 2 * (group?.length ?? 0));
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
    if (!(error instanceof RE2JSException)) throw error;
    return thread.fail(`invalid pattern: ${error.message.replace(/^error parsing regexp: /, "")}`);
  }
}
