/** Names every object has, and names that reach further. */
export const SPECIAL = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__", "then"],
  ...['"constr\\u0075ctor"', "length", '""', "''", '" "', '"a.b"', '"\\u0000"', '"../../.."', '"."', '"@acme/guard"'],
];

export const KEYS = [
  ..."id event pattern when handler command env priority timeout_ms on_error isolation options".split(" "),
  ..."extends package exports dependencies policy sources hooks strict name version harn markdown settings".split(" "),
  ...["Event", "handlr", "priorty", "1", "-"],
  ...SPECIAL,
];

const long = (unit: string, times: number) => `"${unit.repeat(times)}"`;

const names = [
  "a",
  "a",
  long("a", 300),
  long("é", 5_000),
  '"a\\u0000b"',
  '"\\uFFFD\\u202e"',
  '"__proto__"',
  '""',
  '" "',
];
const numbers = ["0", "1", "-1", "-0", "1.5", "1e400", "-inf", "nan", "0xff", "0b1", "1_0", "0e2", "9007199254740993"];
const large = ["-9223372036854775808", "9223372036854775807", "1e308", "1e-320", "0.1"];
const dates = ["1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.999999", "07:32:00"];

/** Values that are TOML, whatever the key makes of them. */
export const VALUES = [
  ...["true", "false", '""', "''", "[]", "{}", "[[]]", '[1, "a", {}]', "{ a.b.c = 1, a.d = 2 }", "[[[[[[]]]]]]"],
  ...["{ __proto__ = 1 }", "{ toString = 1 }", "{ constructor.foo = 1 }", "[{ __proto__ = { polluted = 1 } }]"],
  ...['["a", "b"]', '{ event = "Stop", handler = "policy::check" }', '[{ event = "Stop", handler = "policy::check" }]'],
  ...numbers,
  ...large,
  ...dates,
];

/** Values that look like TOML and are not. */
export const BROKEN = [
  ...["0o8", "1__0", "+nan1", "0xffffffffffffffffff", "9223372036854775808", "9".repeat(400), "2023-02-30", "25:61:61"],
  ...["0000-00-00", "{ a = 1, a = 2 }", "[,]", "[1,,2]", "{ a = 1, }", "{ a = 1\n}", "[", "{", "]", "}"],
  ...['"\\uD800"', '"\\uDFFF\\uD800"', '"\\U00110000"', '"\\x41"', '"\\e"', '"\\u12"', '"\\"', '"a\nb"', '"""a""""""'],
];

/** What somebody might write under a key, right and wrong; under `exports` and `dependencies` for the tables of that name. */
export const FITTING: Readonly<Record<string, readonly string[]>> = {
  id: ['"same"', '"same"', ...names.filter((name) => name !== "a")],
  event: [
    ...['"PreToolUse"', '"PostToolUse"', '"Stop"', '"FileEdited"', '"custom.deploy"', '"meta.x"', '"SessionStart"'],
    ...['"OnBudgetThreshold(80)"', '"OnBudgetThreshold(x)"', '"OnBudgetThreshold(1e9)"', '"OnBudgetThreshold(-0)"'],
    ...[
      '"custom."',
      '"custom.*"',
      '"custom.__proto__"',
      '"__proto__"',
      '"constructor"',
      '"pre_tool_use"',
      '"PreToolUs"',
    ],
    ...['"tool.execute.before"', '"*"', '" PreToolUse"', long("PreToolUse", 500)],
  ],
  pattern: [
    ...['"*"', '""', '"Bash"', '"mcp__*"', '"("', '"[a"', '"{a,b"', '"!(a)"', '"a|b"', '"**/*.ts"', '"tool.args.path"'],
    ...["'tool.name =~ \"(\"'", "'tool.name =~ (?=x)'", "'tool.name =~ \"a+\"'", '"tool.nam"', '"tool.name =="'],
    ...[
      '"tool.name == x"',
      '"tool.__proto__"',
      '"constructor.name"',
      '"path != a"',
      '"\\\\"',
      '"[]"',
      '"[^"',
      '"{1..9999}"',
    ],
    ...["'tool.args.x =~ \"(a{1000}){1000}\"'", "'tool.args.x =~ \"((((((((((a*)*)*)*)*)*)*)*)*)*\"'"],
    ...[
      long("*", 900),
      long("{a,", 300),
      long("(a+)+", 190),
      long("[", 900),
      long("a.", 490),
      long("a", 1_001),
      long("?", 999),
    ],
    ...[long("@(a|", 200), long("!(", 300), long("{a,b}", 180), long("**/", 300)],
  ],
  handler: [
    ...['"policy::check"', '"plain::check"', '"plain::other"', '"@acme/guard::guard"', '"@acme/guard::notify"'],
    ...[
      '"@acme/guard/extra::guard"',
      '"acme-agent::check"',
      '"policy::"',
      '"::check"',
      '"policy"',
      '"policy::nothing"',
    ],
    ...['"policy::__proto__"', '"policy::constructor::check"', '"policy::toString"', '"plain::hasOwnProperty"'],
    ...[
      '"__proto__::check"',
      '"constructor::check"',
      '"toString::call"',
      '"../up::check"',
      '"/abs::check"',
      '"C:\\\\x::y"',
    ],
    ...[
      '"node:fs::readFileSync"',
      '"fs::readFileSync"',
      '"file:///tmp/x.js::check"',
      '"data:text/javascript,1::check"',
    ],
    ...['"@acme/guard/../guard::guard"', '"@acme/guard/gone::guard"', '"@acme/guard/%2e%2e/x::y"', '"@acme::guard"'],
    ...[
      '"broken::check"',
      '"odd::check"',
      '"plain/\\u0000::x"',
      '"a\\u0000b::c"',
      '"plain/main.js/x::y"',
      '"plain//::y"',
    ],
    ...[
      long("a", 300).replace(/"$/, '::x"'),
      long("a/", 3_000).replace(/"$/, 'b::x"'),
      long("::", 50),
      '"policy::chek"',
    ],
  ],
  priority: [...numbers, ...large, '"10"'],
  timeout_ms: [...numbers, ...large, "1e9"],
  on_error: ['"block"', '"allow"', '"raise"', '"Block"', '""', '"toString"'],
  // A worker takes long to start, so it is one of many.
  isolation: ['"worker"', '"process"', '"none"', ...Array.from({ length: 9 }, () => '"inline"')],
  when: ['"True"', '""', '"payload"'],
  command: ['["true"]', "[]", '"true"', '[""]', "[1]", '["./missing.sh", "a\\u0000b"]'],
  env: ['["HOME"]', "[]", '"HOME"', '["A=B"]', "[1]", '{ A = "b" }'],
  settings: ['["settings.json"]', '[".."]', '[""]', '"settings.json"', "[1]"],
  options: [
    ...[
      "{}",
      '{ deny = ["a"] }',
      "{ deny = 1 }",
      "{ max = 0 }",
      "{ max = 1.5 }",
      "{ dney = [] }",
      "{ __proto__ = {} }",
    ],
    ...[
      "{ deny = [1, 2, 3] }",
      "{ constructor = 1, toString = 2 }",
      ...[...numbers, ...dates].map((value) => `{ max = ${value} }`),
    ],
    ...["[]", '"text"', `{ deny = [${'"a", '.repeat(500)}] }`, `{ a = ${"[".repeat(60)}${"]".repeat(60)} }`],
  ],
  exports: [
    ...[
      '"hooks/policy.js"',
      '"hooks/typed.ts"',
      '"hooks/typed.cts"',
      '"hooks/common.cjs"',
      '"hooks/awaits.js"',
      '"hooks"',
    ],
    ...[
      '"hooks/directory.ts"',
      '"hooks/outside.js"',
      '"hooks/throws.js"',
      '"hooks/missing.ts"',
      '"hooks/\\u0000.ts"',
      '"./"',
    ],
    ...[
      '"../x.ts"',
      '"/etc/passwd"',
      '"C:\\\\x.ts"',
      '"file:x.ts"',
      '"hooks/policy.js\\u0000"',
      '"hooks/policy.JS"',
      "5",
      "[]",
    ],
    ...[
      '"hooks/policy.js/x.js"',
      '"node_modules/plain/main.js"',
      long("a/", 3_000).replace(/"$/, 'x.js"'),
      '""',
      "{ a = 1 }",
    ],
  ],
  dependencies: [
    ...[
      '"^1.2.0"',
      '"^^1"',
      '"latest"',
      '">=0.1 <1"',
      '">99"',
      '"*"',
      '""',
      '"workspace:*"',
      "1",
      "[]",
      "{ version = '1' }",
    ],
    ...[long("1 || ", 2_000), long(">", 5_000), long(" ", 5_000), long("1.", 3_000), long("9", 300), long("x - ", 500)],
  ],
};
