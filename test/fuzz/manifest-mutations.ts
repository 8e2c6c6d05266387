import { manifestSeeds } from "./manifest-seeds.js";
import { BROKEN, FITTING, KEYS, SPECIAL, VALUES } from "./manifest-words.js";
import type { Random } from "./random.js";

type TextMutation = (text: string, random: Random) => string;
type ByteMutation = (bytes: Buffer, random: Random) => Buffer;

const TOKEN = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[\w+:.-]+|\s+|[^\s]/g;
const HEADER = /^[ \t]*\[.*$/gm;
const PAIR = /^([ \t]*)([^\s#=[\]{}][^=\n]*?)([ \t]*=[ \t]*)(.*)$/gm;

/** Replaces one match of an expression, any of them with the same chance. */
function replaceOne(
  text: string,
  expression: RegExp,
  random: Random,
  replace: (match: RegExpMatchArray) => string,
): string {
  const matches = [...text.matchAll(expression)];
  if (matches.length === 0) return text;
  const match = random.pick(matches);
  return text.slice(0, match.index) + replace(match) + text.slice(match.index + match[0].length);
}

/** The header of each table and everything up to the next one. */
function sectionsOf(text: string): string[] {
  return text.split(/^(?=[ \t]*\[)/m);
}

function onSections(change: (sections: string[], random: Random) => void): TextMutation {
  return (text, random) => {
    const sections = sectionsOf(text);
    change(sections, random);
    return sections.join("");
  };
}

function onTokens(change: (tokens: string[], random: Random) => void): TextMutation {
  return (text, random) => {
    const tokens = text.match(TOKEN) ?? [];
    if (tokens.length > 0) change(tokens, random);
    return tokens.join("");
  };
}

const onValue = (value: (old: string, random: Random) => string): TextMutation => {
  return (text, random) =>
    replaceOne(
      text,
      PAIR,
      random,
      ([, indent, key, equals, old]) => `${indent}${key}${equals}${value(old ?? "", random)}`,
    );
};

const onKey = (rename: (old: string, random: Random) => string): TextMutation => {
  return (text, random) =>
    replaceOne(
      text,
      PAIR,
      random,
      ([, indent, key, equals, old]) => `${indent}${rename(key ?? "", random)}${equals}${old}`,
    );
};

const onHeader = (rewrite: (name: string, random: Random) => string): TextMutation => {
  return (text, random) =>
    replaceOne(text, HEADER, random, ([header]) => rewrite(header.replace(/#.*$/, "").replace(/[[\]\s]/g, ""), random));
};

const insertLine = (line: (random: Random) => string): TextMutation => {
  return (text, random) => {
    const lines = text.split("\n");
    lines.splice(random.below(lines.length + 1), 0, line(random));
    return lines.join("\n");
  };
};

function swap(items: string[], random: Random): void {
  const [a, b] = [random.below(items.length), random.below(items.length)];
  [items[a], items[b]] = [items[b] ?? "", items[a] ?? ""];
}

const mistyped = (name: string, random: Random) => {
  const at = random.below(name.length);
  return name.slice(0, at) + random.pick(["", "x", name[at] ?? "", "-"]) + name.slice(at + 1);
};

const pairsOf = (section: string) => section.split("\n").filter((line) => /^[ \t]*[^\s#[][^=]*=/.test(line));

/** `[[hooks]]` and what follows it, written as one inline table. */
const toInline: TextMutation = (text, random) => {
  const sections = sectionsOf(text);
  const at = random.below(sections.length);
  const [head = "", ...body] = (sections[at] ?? "").split("\n");
  const name = head.replace(/#.*$/, "").replace(/[[\]\s]/g, "");
  const pairs = pairsOf(body.join("\n")).map((line) => line.trim().replace(/\s+#.*$/, ""));
  const table = `{ ${pairs.join(random.pick([", ", ",", ",\n"]))} }`;
  sections.splice(at, 1);
  return `${name || "hooks"} = ${head.startsWith("[[") || random.once(4) ? `[${table}]` : table}\n${sections.join("")}`;
};

/** The keys of a table, written as dotted keys above everything else. */
const toDotted: TextMutation = (text, random) => {
  const sections = sectionsOf(text);
  const at = random.below(sections.length);
  const [head = "", ...body] = (sections[at] ?? "").split("\n");
  const name = head.replace(/#.*$/, "").replace(/[[\]\s]/g, "") || "hooks";
  sections.splice(at, 1);
  return `${pairsOf(body.join("\n"))
    .map((line) => `${name}.${line.trim()}\n`)
    .join("")}${sections.join("")}`;
};

const deep = (random: Random) => {
  const depth = random.pick([3, 20, 200, 1_000, random.once(4) ? 20_000 : 2_000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ["{ a = ", " }"],
    ["[{ a = ", " }]"],
  ] as const);
  return open.repeat(depth) + random.pick(["", "1"]) + close.repeat(random.once(4) ? depth - 1 : depth);
};

const UNITS = [
  ".",
  "a",
  "a.",
  "[",
  "]",
  '"',
  "'",
  "=",
  " ",
  "\t",
  "#",
  "\\",
  "\\u0041",
  "1",
  "1_",
  "-",
  ",",
  "{",
  "é",
  "😀",
  "a=1,",
];

const longText = (random: Random) => {
  const unit = random.pick(UNITS);
  // The largest are just below what the loader reads at all: what is not linear shows there.
  const times = random.pick([200, 2_000, 5_000, random.once(8) ? 1_000_000 / Buffer.byteLength(unit) : 5_000]);
  const text = unit.repeat(times);
  return random.pick([
    `x = "${text}"`,
    `x = '''\n${text}\n'''`,
    `x = """\n${text}\n"""`,
    `${text} = 1`,
    `[${text}]`,
    `# ${text}`,
    `x = [${text}]`,
    `x = ${text}`,
    text,
  ]);
};

const manyHooks = (random: Random) => {
  const count = random.pick([50, 300, random.once(8) ? 10_000 : 300]);
  const handler = random.pick(["policy::check", "plain::check", "missing::check", "policy::nothing", "broken"]);
  const extra = random.pick([
    "",
    'id = "same"\n',
    "nonsense = 1\n",
    'pattern = "{a,b}*"\n',
    "options = { a = [1, 2] }\n",
  ]);
  const isNumbered = random.once(2);
  return Array.from(
    { length: count },
    (_, index) => `[[hooks]]\nevent = "PreToolUse"\nhandler = "${handler}${isNumbered ? index : ""}"\n${extra}`,
  ).join("");
};

const tokenMutations: readonly TextMutation[] = [
  onTokens(swap),
  onTokens((tokens, random) => void tokens.splice(random.below(tokens.length), 1)),
  onTokens((tokens, random) => {
    const at = random.below(tokens.length);
    tokens[at] = (tokens[at] ?? "").repeat(random.pick([2, 2, 3, 50]));
  }),
  onTokens((tokens, random) => {
    tokens[random.below(tokens.length)] = random.pick([...BROKEN, ...VALUES, ...KEYS]);
  }),
  onTokens((tokens, random) => void tokens.splice(random.below(tokens.length), 0, random.pick(UNITS))),
  (text, random) => replaceOne(text, /"""|'''|"|'/g, random, () => random.pick(['"', "'", '"""', "'''", "`", "“"])),
  (text, random) => replaceOne(text, /"[^"\n]*"/g, random, ([quoted]) => `'${quoted.slice(1, -1)}'`),
  (text, random) =>
    replaceOne(text, /"/g, random, () => random.pick(['"\\uD800', '"\\u0000', '"\\U0010FFFF', '"\\q', '"\u0000'])),
  (text, random) => replaceOne(text, /\d+/g, random, () => random.pick([...BROKEN, ...VALUES])),
  (text, random) =>
    replaceOne(text, /\n/g, random, () => random.pick(["", "\r", "\r\n", "\r\r\n", "\u2028", "\v", " "])),
  onValue((_, random) => deep(random)),
  insertLine(longText),
];

const structureMutations: readonly TextMutation[] = [
  onKey((_, random) => random.pick(KEYS)),
  onKey(mistyped),
  onKey((key, random) => `${key}.${random.pick(KEYS)}`),
  onKey((key, random) => `${random.pick(SPECIAL)}.${key}`),
  onValue((_, random) => random.pick(VALUES)),
  onValue((_, random) => random.pick(VALUES)),
  onValue((old, random) => random.pick([`[${old}]`, `{ a = ${old} }`, `{ __proto__ = ${old} }`, `[${old}, ${old}]`])),
  (text, random) => replaceOne(text, PAIR, random, () => ""),
  (text, random) => replaceOne(text, PAIR, random, ([pair]) => `${pair}\n${pair}`),
  onHeader((name) => `[${name}]`),
  onHeader((name) => `[[${name}]]`),
  onHeader((name, random) => `[${name}.${random.pick(KEYS)}]`),
  onHeader((name, random) => `[[${random.pick(SPECIAL)}.${name}]]`),
  onHeader((_, random) =>
    random.pick(["[", "[[", "[]", "[[]]", "[hooks]]", "[[hooks]", "[ hooks . options ]", "[[exports]]"]),
  ),
  onHeader((_, random) => `[${random.pick(KEYS)}]`),
  onSections(swap),
  onSections((sections, random) => void sections.splice(random.below(sections.length), 1)),
  onSections((sections, random) => void sections.push(`\n${random.pick(sections)}`)),
  insertLine((random) => `${random.pick(KEYS)} = ${random.pick(VALUES)}`),
  insertLine(
    (random) =>
      `${random.pick(SPECIAL)}.${random.pick(["call", "x", "prototype.x", "a.b.c"])} = ${random.pick(VALUES)}`,
  ),
  insertLine(
    (random) => `[${random.pick(["", "[", "hooks.", "exports.", "hooks.options."])}${random.pick(SPECIAL)}]\ncall = 1`,
  ),
  insertLine((random) => `[[hooks]]\n${random.pick(KEYS)} = ${random.pick(VALUES)}`),
  toInline,
  toDotted,
  (text) => text.replaceAll("[[hooks]]", "[hooks]"),
];

const fittingPair = (random: Random) => {
  const [key, values] = random.pick(Object.entries(FITTING));
  return `${key} = ${random.pick(values)}`;
};

// A hook that is right in every one of the seeds.
const PACKAGE_HOOK = '[[hooks]]\nevent = "PreToolUse"\nhandler = "@acme/guard::guard"\n';

/** These leave the document valid TOML and mostly of the right shape, so that they reach what comes behind. */
const meaningMutations: readonly TextMutation[] = [
  (text, random) => {
    const key = random.pick(Object.keys(FITTING));
    const pair = new RegExp(`^(${key}\\s*=).*$`, "gm");
    return replaceOne(text, pair, random, ([, left]) => `${left} ${random.pick(FITTING[key] ?? [])}`);
  },
  (text, random) => replaceOne(text, /^\[\[hooks\]\]$/gm, random, ([header]) => `${header}\n${fittingPair(random)}`),
  (text, random) => `${text}\n${PACKAGE_HOOK}${fittingPair(random)}\n`,
  (text, random) => `${text}\n${PACKAGE_HOOK}pattern = ${random.pick(FITTING.pattern ?? [])}\n`,
  (text, random) => `${text}\n${PACKAGE_HOOK}options = ${random.pick(FITTING.options ?? [])}\n`,
  (text, random) =>
    `${text}\n[[hooks]]\nevent = ${random.pick(FITTING.event ?? [])}\nhandler = ${random.pick(FITTING.handler ?? [])}\n`,
  (text, random) =>
    replaceOne(
      text,
      /^\[(exports|dependencies)\]$/gm,
      random,
      ([header, name = ""]) => `${header}\n${random.pick(SPECIAL)} = ${random.pick(FITTING[name] ?? [])}`,
    ),
  (text, random) => replaceOne(text, /"hooks\/[^"]*"/g, random, () => random.pick(FITTING.exports ?? [])),
  onSections((sections, random) => {
    if (sections.length > 1) sections.push("\n", sections.splice(random.below(sections.length - 1) + 1, 1)[0] ?? "");
  }),
];

const INVALID_UTF8 = ["c080", "eda080", "edb080", "f4908080", "f5", "80", "c3", "e282", "f09f98", "fffe", "feff", "ff"];

const insert = (pieces: readonly string[]): ByteMutation => {
  return (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(pieces), "hex"), bytes.subarray(at)]);
  };
};

const byteMutations: readonly ByteMutation[] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    for (let flips = 1 + random.below(3); flips > 0 && copy.length > 0; flips--) {
      const at = random.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    }
    return copy;
  },
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.below(256)]), bytes.subarray(at)]);
  },
  (bytes, random) => {
    const [start, end] = random.range(bytes.length, random.pick([1, 8, 200]));
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  (bytes, random) => {
    const [start, end] = random.range(bytes.length, random.pick([4, 40, 400]));
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const other = Buffer.from(random.pick([...manifestSeeds.values()]));
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length + 1)),
      other.subarray(random.below(other.length)),
    ]);
  },
  insert(["00"]),
  insert(["0d", "0d0d", "0d0a", "7f", "1b", "08", "0b", "85"]),
  insert(["efbbbf"]),
  (bytes) => Buffer.concat([Buffer.from("efbbbf", "hex"), bytes]),
  insert(INVALID_UTF8),
  insert(["f09f9880", "e280a8", "c2a0", "cc81", "efbfbd", "c280", "f48fbfbf"]),
];

/** One mutant: a seed with one to four changes, those of its text before those of its bytes. */
export function makeMutant(random: Random): { readonly origin: string; readonly bytes: Buffer } {
  const [origin, seed] = random.pick([...manifestSeeds]);
  let text = seed;
  let onBytes = 0;
  for (let changes = random.pick([1, 1, 1, 2, 2, 3, 4]); changes > 0; changes--) {
    const mutations = random.pick(LEVELS);
    if (mutations === null) onBytes++;
    else text = random.pick(mutations)(text, random);
  }
  // So many are slow to load, and a few of them say all there is to say.
  if (random.once(200)) text += `\n${manyHooks(random)}`;
  let bytes = Buffer.from(text);
  for (; onBytes > 0; onBytes--) bytes = Buffer.from(random.pick(byteMutations)(bytes, random));
  return { origin, bytes };
}

/** How often each level is changed; null stands for the bytes, whose turn comes last. */
const LEVELS = [
  null,
  tokenMutations,
  structureMutations,
  structureMutations,
  meaningMutations,
  meaningMutations,
  meaningMutations,
];
