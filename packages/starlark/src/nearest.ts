/** The farthest a word may be from what was meant. */
const FARTHEST = 2;
const LONGEST = 40;

/** `; did you mean x?`, where one of the known names is near enough; otherwise nothing. */
export function hintFor(word: string, known: Iterable<string>): string {
  const found = nearest(word, known);
  return found === undefined ? "" : `; did you mean ${found}?`;
}

function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  // A short word is near to everything.
  let least = Math.min(FARTHEST, Math.floor(word.length / 3)) + 1;
  let found: string | undefined;
  for (const name of known) {
    if (name.toLowerCase() === word.toLowerCase()) return name;
    if (Math.abs(name.length - word.length) >= least) continue;
    const distance = distanceOf(word, name);
    if (distance < least) [least, found] = [distance, name];
  }
  return found;
}

/** How many letters have to be added, removed, changed or exchanged with the next to make one word of the other. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const change = at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchange = isExchange ? at(i - 2, j - 2) + 1 : change;
      row.push(Math.min(change, exchange, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
