import { RE2JS } from "re2js";
import { defineFunction, defineModule } from "./host.js";
import type { Thread } from "./thread.js";
import { List, Tuple, type Value } from "./values.js";

const MAX_PATTERN = 1_000;
const MAX_TEXT = 1024 * 1024;
const MAX_MATCHES = 10_000;
const KEPT = 200;

/** Compiling costs more than matching, and a policy asks the same few patterns again and again. */
const compiled = new Map<string, RE2JS>();

function patternOf(thread: Thread, pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN) thread.fail(`the pattern is longer than ${MAX_PATTERN} characters`);
  thread.step(pattern.length);
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

type Matcher = ReturnType<RE2JS["matcher"]>;

function matcherOf(thread: Thread, pattern: string, text: string): Matcher {
  if (text.length > MAX_TEXT) thread.fail(`the text is longer than ${MAX_TEXT} characters`);
  thread.step(Math.ceil(text.length / 64));
  return patternOf(thread, pattern).matcher(text);
}

/** The groups of a match, the whole of it first; a group that took no part is None. */
function groupsOf(thread: Thread, matcher: Matcher): Value[] {
  const groups: Value[] = [];
  for (let i = 0; i <= matcher.groupCount(); i++) {
    const group = matcher.group(i) ?? null;
    thread.step();
    thread.allocate(24 + 2 * (group?.length ?? 0));
    groups.push(group);
  }
  return groups;
}

const parameters = { pattern: "string", text: "string" } as const;

/**
 * `re`: regular expressions that take time linear in the text, whatever the pattern. `match` looks at the start of the text,
 * `search` anywhere; both return the groups as a tuple, the whole match first, or None. `findall` returns a list: of the
 * matches, of the group where there is one, of tuples where there are several.
 */
export const re: Value = defineModule("re", {
  match: defineFunction("match", parameters, ({ pattern, text }, thread) => {
    const matcher = matcherOf(thread, pattern, text);
    return matcher.lookingAt() ? new Tuple(groupsOf(thread, matcher)) : null;
  }),
  search: defineFunction("search", parameters, ({ pattern, text }, thread) => {
    const matcher = matcherOf(thread, pattern, text);
    return matcher.find() ? new Tuple(groupsOf(thread, matcher)) : null;
  }),
  findall: defineFunction("findall", parameters, ({ pattern, text }, thread) => {
    const matcher = matcherOf(thread, pattern, text);
    const found: Value[] = [];
    while (matcher.find()) {
      if (found.length === MAX_MATCHES) thread.fail(`more than ${MAX_MATCHES} matches`);
      const [whole = null, ...groups] = groupsOf(thread, matcher);
      found.push(groups.length === 0 ? whole : groups.length === 1 ? (groups[0] as Value) : new Tuple(groups));
    }
    return new List(found);
  }),
});
