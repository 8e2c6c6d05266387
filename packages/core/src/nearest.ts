/** The candidate a person most likely meant, or undefined when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  const all = [...candidates];
  let best = startOf(wanted, all);
  if (best !== undefined) return best;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of all) {
    const distance = editDistance(wanted, fold(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `prio` is cut short rather than misspelt; of what starts several words nobody can say which is meant. */
function startOf(wanted: string, candidates: readonly string[]): string | undefined {
  if (wanted.length < 4) return undefined;
  const [first, second] = candidates.filter((candidate) => fold(candidate).startsWith(wanted));
  return second === undefined ? first : undefined;
}

// `pre_tool_use`, `PreToolUse` and `pretooluse` are one word spelt three ways.
function fold(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[\s_.-]/g, "");
}

/** Optimal string alignment: a swap of neighbours is one slip of the finger, not two. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j - 1] ?? 0) + 1, (previous[j] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      }
      row[j] = best;
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] ?? a.length;
}
