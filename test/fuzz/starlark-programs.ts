import type { Random } from "./random.js";

/** What an expression should be; a program of types that fit runs further than one of any. */
const KINDS = ["int", "float", "string", "list", "tuple", "dict", "set", "bool", "range"] as const;
type Kind = (typeof KINDS)[number];

const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  int: ["i", "j", "n"],
  float: ["x"],
  string: ["s", "t"],
  list: ["a", "b"],
  tuple: ["p"],
  dict: ["d", "e"],
  set: ["u"],
  bool: ["q"],
  range: ["r"],
};

const LITERALS: Readonly<Record<Kind, readonly string[]>> = {
  int: ["0", "1", "-1", "2", "7", "255", "100000", "9007199254740991", "9007199254740993", "(1 << 70)", "-(1 << 200)"],
  float: ["0.0", "1.5", "-0.5", "1e300", 'float("nan")', 'float("inf")', "-0.0", "1e-7"],
  string: [
    '""',
    '"a"',
    '"abc abc"',
    '("a" * 50)',
    '"%s"',
    '"%d %x"',
    '"{}"',
    '"{0!r}"',
    '"😿é"',
    '"[1, {\\"a\\": 2.5}]"',
    '"(a|b)*c+"',
    '"\\x00\\n"',
    '"1e5"',
    '"0xff"',
  ],
  list: ["[]", "[1, 2, 3]", "[3, 1, 2]", '["b", "a"]', "[[], [1]]", "[None, True]", "[(1, 2), (3, 4)]", "[0] * 20"],
  tuple: ["()", "(1,)", "(1, 2)", '("a", 1)', "((), (1,))"],
  dict: ["{}", '{"a": 1}', '{"a": [1], "b": {"c": None}}', "{1: 2, 1.5: 3, (1, 2): 4}", '{"__proto__": 1}'],
  set: ["set()", "set([1, 2])", 'set(["a", 1, None])'],
  bool: ["True", "False"],
  range: ["range(5)", "range(5, -5, -2)", "range(0)", "range(1000000000000)", "range(50)"],
};

/** Templates of expressions by what they give; a hole is a kind, and `any` is any. */
const TEMPLATES: Readonly<Record<Kind, readonly string[]>> = {
  int: [
    "(<int> + <int>)",
    "(<int> - <int>)",
    "(<int> * <int>)",
    "(<int> // <int>)",
    "(<int> % <int>)",
    "(<int> & <int>)",
    "(<int> | <int>)",
    "(<int> ^ <int>)",
    "(<int> << (<int> % 90))",
    "(<int> >> (<int> % 90))",
    "-<int>",
    "~<int>",
    "len(<list>)",
    "len(<string>)",
    "len(<dict>)",
    "abs(<int>)",
    "int(<float>)",
    "int(<string>)",
    "int(<string>, <int>)",
    "<string>.find(<string>)",
    "<string>.count(<string>)",
    "<list>.index(<any>)",
    "<list>[<int> % 3]",
    "max(<list>)",
    "min(<int>, <int>)",
    "hash(<string>)",
    "ord(<string>)",
    "<range>[<int> % 4]",
    "(<int> if <bool> else <int>)",
    "(lambda k: k + <int>)(<int>)",
    "f(<int>)",
  ],
  float: [
    "(<float> + <int>)",
    "(<float> * <float>)",
    "(<int> / <int>)",
    "(<float> // <int>)",
    "(<float> % <int>)",
    "float(<string>)",
    "float(<int>)",
  ],
  string: [
    "(<string> + <string>)",
    "(<string> * (<int> % 9))",
    "<string>[<int>:<int>]",
    "<string>[::<int>]",
    "str(<any>)",
    "repr(<any>)",
    "(<string> % <tuple>)",
    '("%s %r" % (<any>, <any>))',
    "<string>.format(<any>, <any>)",
    "<string>.replace(<string>, <string>)",
    "<string>.join([str(k) for k in <list>])",
    "<string>.upper()",
    "<string>.title()",
    "<string>.strip(<string>)",
    "type(<any>)",
    "json.encode(<any>)",
    "json.indent(json.encode(<dict>))",
    "chr(<int> % 3000)",
    "g(<string>, <string>)",
  ],
  list: [
    "(<list> + <list>)",
    "(<list> * (<int> % 5))",
    "<list>[<int>:<int>]",
    "<list>[<int>::<int>]",
    "[<any>, <any>]",
    "[k for k in <list>]",
    "[(k, <any>) for k in <range> if <bool>]",
    "[[k, m] for k in <list> for m in <list>]",
    "sorted(<list>, key = str)",
    "sorted(<list>)",
    "reversed(<list>)",
    "list(<tuple>)",
    "list(<set>)",
    "list(<range>)",
    "<dict>.keys()",
    "<dict>.items()",
    "<string>.split(<string>)",
    "<string>.split()",
    "<string>.elems()",
    "<string>.splitlines()",
    "enumerate(<list>)",
    "zip(<list>, <range>)",
    "dir(<any>)",
    "re.findall(<string>, <string>)",
    "host.echo(<list>)",
  ],
  tuple: ["(<any>, <any>)", "(<tuple> + <tuple>)", "tuple(<list>)", "<string>.partition(<string>)", "<tuple>[<int>:]"],
  dict: [
    "{<any>: <any>}",
    "{k: <any> for k in <list>}",
    "(<dict> | <dict>)",
    "dict(<list>)",
    "dict(<dict>, a = <any>)",
    "dict(zip(<list>, <list>))",
    "json.decode(json.encode(<dict>))",
  ],
  set: [
    "(<set> | <set>)",
    "(<set> & <set>)",
    "(<set> - <set>)",
    "(<set> ^ <set>)",
    "set(<list>)",
    "<set>.union(<list>)",
  ],
  bool: [
    "(<any> == <any>)",
    "(<int> < <int>)",
    "(<string> <= <string>)",
    "(<list> < <list>)",
    "(<any> in <list>)",
    "(<string> in <string>)",
    "(<any> not in <dict>)",
    "(not <any>)",
    "(<bool> and <any>)",
    "(<bool> or <bool>)",
    "<string>.startswith(<string>)",
    "hasattr(<any>, <string>)",
    "any(<list>)",
    "bool(re.match(<string>, <string>))",
    "(host.size(<any>) > <int>)",
  ],
  range: ["range(<int> % 40)", "<range>[<int>:<int>]", "range(<int>, <int>, <int>)"],
};

const EFFECTS = [
  "<list>.append(<any>)",
  "<list>.extend(<list>)",
  "<list>.insert(<int>, <any>)",
  "<list>.pop()",
  "<list>.clear()",
  "<dict>.update(<dict>)",
  "<dict>.setdefault(<string>, <any>)",
  "<dict>.pop(<string>, None)",
  "<set>.add(<any>)",
  "<set>.update(<list>)",
  "print(<any>, <any>)",
  "fail(<any>)",
  "<list>[<int> % 3] = <any>",
  "<dict>[<any>] = <any>",
  "<any>.constructor",
  "getattr(<any>, <string>)",
];

const AUGMENTED = "+= -= *= //= %= |= &= ^=".split(" ");

/** Makes programs that parse, most of which do something before they end. */
export class ProgramMaker {
  constructor(private readonly random: Random) {}

  program(): string {
    const first = KINDS.flatMap((kind) => NAMES[kind].map((name) => `${name} = ${this.random.pick(LITERALS[kind])}\n`));
    const functions = [
      `def f(n, *rest, k = 1):\n${this.block("    ", 2)}    return n\n`,
      `def g(s, t = "", **more):\n${this.block("    ", 2)}    return s + t\n`,
    ];
    const statements = this.times(1 + this.random.below(8), () => this.statement("", 3));
    return [...first, ...functions, ...statements].join("");
  }

  private times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }

  private block(indent: string, depth: number): string {
    return this.times(1 + this.random.below(3), () => this.statement(indent, depth)).join("");
  }

  private statement(indent: string, depth: number): string {
    const { random } = this;
    const inner = `${indent}    `;
    const kind = random.pick(KINDS);
    switch (depth <= 0 ? random.below(5) : random.below(9)) {
      case 0:
      case 1:
        return `${indent}${random.pick(NAMES[kind])} = ${this.expression(kind, 3)}\n`;
      case 2:
        return `${indent}${random.pick(NAMES.int)} ${random.pick(AUGMENTED)} ${this.expression("int", 2)}\n`;
      case 3:
        return `${indent}${random.pick(NAMES.list)} += ${this.expression("list", 2)}\n`;
      case 4:
        return `${indent}${this.fill(random.pick(EFFECTS), 2)}\n`;
      case 5: {
        const rest = `${indent}else:\n${this.block(inner, depth - 1)}`;
        return `${indent}if ${this.expression("bool", 2)}:\n${this.block(inner, depth - 1)}${random.once(2) ? rest : ""}`;
      }
      case 6: {
        const end = random.once(3) ? `${inner}${random.pick(["break", "continue"])}\n` : "";
        const name = random.pick(["k", "k, m", ...NAMES.int]);
        const iterable = this.expression(random.pick(["list", "range", "dict", "set"] as const), 2);
        return `${indent}for ${name} in ${iterable}:\n${this.block(inner, depth - 1)}${end}`;
      }
      case 7:
        return `${indent}while ${this.expression("bool", 2)}:\n${this.block(inner, depth - 1)}`;
      default:
        // Doubles what it holds with every line.
        return `${indent}a = [a, a]\n`.repeat(1 + random.below(25));
    }
  }

  private expression(kind: Kind, depth: number): string {
    const { random } = this;
    // Now and then something of another type stands there.
    if (random.once(40)) return this.any(depth);
    if (depth <= 0 || random.once(5)) return random.once(2) ? random.pick(NAMES[kind]) : random.pick(LITERALS[kind]);
    return this.fill(random.pick(TEMPLATES[kind]), depth);
  }

  private any(depth: number): string {
    if (this.random.once(10)) return this.random.pick(["None", 'b"a\\xff"', "len", "f", "(lambda: 1)", '"".join']);
    return this.expression(this.random.pick(KINDS), depth - 1);
  }

  private fill(template: string, depth: number): string {
    return template.replace(/<(\w+)>/g, (_, kind: string) =>
      kind === "any" ? this.any(depth) : this.expression(kind as Kind, depth - 1),
    );
  }
}
