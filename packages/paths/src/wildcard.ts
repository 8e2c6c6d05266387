/** Whether a name fits a pattern of `*`, `?`, `[a-z]` and `\x`. Takes time in proportion to both at most. */
export function matchesName(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let retry = 0;
  while (n < name.length) {
    if (pattern[p] === "*") {
      star = p++;
      retry = n;
      continue;
    }
    const next = p < pattern.length ? step(pattern, p, name.charAt(n)) : -1;
    if (next !== -1) {
      p = next;
      n++;
    } else if (star !== -1) {
      p = star + 1;
      n = ++retry;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

/** Where the pattern goes on after one character; -1 when that does not fit. */
function step(pattern: string, at: number, character: string): number {
  const sign = pattern.charAt(at);
  if (sign === "?") return at + 1;
  if (sign === "\\" && at + 1 < pattern.length) return pattern[at + 1] === character ? at + 2 : -1;
  if (sign !== "[") return sign === character ? at + 1 : -1;
  const end = pattern.indexOf("]", at + 2);
  if (end === -1) return sign === character ? at + 1 : -1;
  const isNegated = /[!^]/.test(pattern.charAt(at + 1));
  return inClass(pattern.slice(at + (isNegated ? 2 : 1), end), character) === isNegated ? -1 : end + 1;
}

function inClass(members: string, character: string): boolean {
  for (let at = 0; at < members.length; at++) {
    const from = members.charAt(at);
    if (members[at + 1] === "-" && at + 2 < members.length) {
      if (character >= from && character <= members.charAt(at + 2)) return true;
      at += 2;
    } else if (from === character) return true;
  }
  return false;
}

/** Whether components of a path, or the first few of them, fit those of a pattern; `**` is any number of them. */
export function matchesStart(pattern: readonly string[], path: readonly string[]): boolean {
  let places = closure(pattern, new Set([0]));
  for (const name of path) {
    const next = new Set<number>();
    for (const place of places) {
      const part = pattern[place];
      if (part === undefined) continue;
      if (part === "**") next.add(place === pattern.length - 1 ? pattern.length : place);
      else if (matchesName(part, name)) next.add(place + 1);
    }
    places = closure(pattern, next);
    if (places.has(pattern.length)) return true;
  }
  return false;
}

// A `**` that is not the last part may stand for nothing.
function closure(pattern: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (pattern[place] === "**" && place < pattern.length - 1) places.add(place + 1);
  return places;
}

/** `{a,b}` written out, as many times as it takes; a pattern without braces is itself. */
export function expandBraces(pattern: string): string[] {
  const [, before = "", inner = "", after = ""] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  if (inner === "") return [pattern];
  return inner
    .split(",")
    .flatMap((choice) => expandBraces(`${before}${choice}${after}`))
    .slice(0, 1_000);
}

const SPECIAL = /[*?[\\]/g;

/** A text as a pattern that fits itself alone. */
export function escapeName(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}

export function hasWildcard(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\./g, ""));
}
