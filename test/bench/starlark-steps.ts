import { json, Program, re, StarlarkBudgetError } from "@hooks/starlark";

// How long a step takes in loops that do one thing only, until the default budget is used up. A budget is worth as much as
// its dearest step: what stands at the top decides how long a hostile program can keep its host.

const LOOPS: Readonly<Record<string, readonly [setup: string, body: string]>> = {
  "a statement": ["", "pass"],
  "a call": ["def g(a, b = 1): return a", "g(1)"],
  "a call with **kwargs": ["def g(**k): return k\nd = {str(i): i for i in range(30)}", "g(**d)"],
  "a comprehension": ["", "[i for i in range(50)]"],
  "search, nearly found everywhere": ['s = "a" * 5000\nt = "a" * 15 + "b"', "t in s"],
  "search, long needle": ['s = "a" * 300\nt = "a" * 200 + "b"', "t in s"],
  split: ['s = "a," * 20', 's.split(",")'],
  replace: ['s = "ab" * 100', 's.replace("a", "c")'],
  title: ['s = "ab " * 20', "s.title()"],
  strip: ['s = " " * 60 + "a"', "s.strip()"],
  "%e": ["x = 1.0000005e-300", '"%e%e" % (x, x)'],
  "%f": ["x = 1e300", '"%f" % x'],
  "str of floats": ["x = [1.1e-300] * 50", "str(x)"],
  "repr of bytes": ['x = b"\\xff" * 60', "repr(x)"],
  "repr of a string": ['x = "\\n" * 60', "repr(x)"],
  "a tuple as key": ['d = {}\nk = ("a" * 60, "b" * 60, 1.5, None)', "d.get(k)"],
  "ints of 2,000 bits": ["x = (1 << 2000) + 1", "x * x"],
  "digits of an int": ["x = 1 << 20000", "str(x)"],
  "reading an int": ['s = "9" * 1000', "int(s)"],
  sorting: ["x = [i * 7919 % 1000 for i in range(1000)]", "sorted(x)"],
  "json.encode": ['x = {"a": [1, 2.5, "x" * 60]}', "json.encode(x)"],
  "json.decode": ['x = json.encode({"a": [1, 2.5, "x" * 60]})', "json.decode(x)"],
  "re.search": ['x = "a" * 50', 're.search("(a|b)*c", x)'],
  "re.findall": ['x = "a b " * 20', 're.findall("[a-z]+", x)'],
  "re.search with groups": ['p = "(a*)" * 50\nx = "a" * 100', "re.search(p, x)"],
  "large ints as keys": ["d = {n << 64: n for n in range(20000)}\nk = 7 << 64", "d[k]"],
  "new patterns that repeat": ["i = [0]", 'i[0] += 1\nre.match("a%d((a{5}){5}){5}" % i[0], "")'],
  "new patterns that fold": ["i = [0]", 'i[0] += 1\nre.match("(?i)a%d[\\\\x{80}-\\\\x{ffff}]" % i[0], "")'],
  "new patterns": ["i = [0]", 'i[0] += 1\nre.match("a%d[0-9]{3}" % i[0], "")'],
};

function measure(setup: string, body: string): number {
  const indented = (text: string, by: string) => text.replace(/^/gm, by);
  const source = `def f():\n${indented(setup || "pass", "    ")}\n    while True:\n${indented(body, "        ")}\nf()\n`;
  const program = Program.compile(source, { whileLoops: true, predeclared: { json, re } });
  const start = performance.now();
  try {
    program.run({ budget: { memory: 1e12 } });
  } catch (error) {
    if (error instanceof StarlarkBudgetError) return (performance.now() - start) / error.usage.steps;
    throw error;
  }
  throw new Error("a loop ended");
}

const rows = Object.entries(LOOPS).map(([name, [setup, body]]) => ({
  name,
  nanoseconds: Math.min(measure(setup, body), measure(setup, body)) * 1e6,
}));
const least = rows.find(({ name }) => name === "a statement")?.nanoseconds ?? 1;
console.log("\nStarlark, what a step costs, against one that does nothing");
for (const { name, nanoseconds } of rows.sort((a, b) => b.nanoseconds - a.nanoseconds)) {
  console.log(
    `  ${name.padEnd(34)}${nanoseconds.toFixed(0).padStart(6)} ns${(nanoseconds / least).toFixed(1).padStart(8)}x`,
  );
}
