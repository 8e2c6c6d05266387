import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE_POLICY = "examples/governed-session/hooks/policy.ts";

const handlers = (...names: string[]) => names.map((name) => `export function ${name}() {}`).join("\n");

/** Everything the manifests below may name, and a few things they must not. */
const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "acme-agent", type: "module" }),
  "hooks/policy.js": handlers("check", "audit", "shape"),
  "hooks/module.mjs": `${handlers("check")}\nexport const nothing = 1;`,
  "hooks/common.cjs": "exports.check = () => undefined;\nmodule.exports.late = () => undefined;",
  "hooks/typed.ts": "export function check(payload: { readonly tool: unknown }): void {}\nexport default { check };",
  "hooks/typed.mts": "export const check = (): undefined => undefined;",
  "hooks/typed.cts": "export const check = (): undefined => undefined;",
  "hooks/awaits.js": `await Promise.resolve();\n${handlers("check")}`,
  "hooks/throws.js": 'throw new Error("on purpose");',
  "hooks/directory.ts/index.ts": handlers("check"),
  "node_modules/@acme/guard/package.json": JSON.stringify({
    name: "@acme/guard",
    version: "1.2.3",
    type: "module",
    exports: { ".": "./index.js", "./extra": "./extra.js", "./gone": "./gone.js" },
    harn: {
      api: 1,
      hooks: {
        guard: { events: ["PreToolUse", "PostToolUse"], options: "./options.schema.json" },
        notify: { events: ["SessionStart", "custom.*"] },
      },
    },
  }),
  "node_modules/@acme/guard/index.js": handlers("guard", "notify"),
  "node_modules/@acme/guard/extra.js": handlers("guard"),
  "node_modules/@acme/guard/options.schema.json": JSON.stringify({
    type: "object",
    properties: { deny: { type: "array", items: { type: "string" } }, max: { type: "integer", minimum: 1 } },
    additionalProperties: false,
  }),
  "node_modules/plain/package.json": JSON.stringify({ name: "plain", version: "0.4.0", main: "main.js" }),
  "node_modules/plain/main.js": "module.exports = { check() {}, other: () => undefined };",
  "node_modules/broken/package.json": "{",
  "node_modules/odd/package.json": JSON.stringify({ name: "odd", version: "1.0.0", harn: { api: 9, hooks: {} } }),
};

const seeds: Readonly<Record<string, string>> = {
  least: '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::check"\n\n[exports]\npolicy = "hooks/policy.js"\n',
  nothing: "# a manifest without hooks\n",
  packages: `[dependencies]
"@acme/guard" = "^1.2.0"
plain = ">=0.4 <1"

[[hooks]]
id = "guard"
event = "PreToolUse"
pattern = "Bash"
handler = "@acme/guard::guard"
priority = 10
timeout_ms = 2000
on_error = "block"
isolation = "inline"
options = { deny = ["shutdown", "reboot"], max = 3 }

[[hooks]]
event = "custom.deploy"
handler = "@acme/guard::notify"

[[hooks]]
event = "PostToolUse"
handler = "plain::check"
on_error = "block"
`,
  inline: `exports = { policy = "hooks/policy.js", typed = "hooks/typed.ts" }
policy = { strict = false, isolation = "inline" }
hooks = [
  { event = "PreToolUse", handler = "policy::check" }, # the first
  { event = "PostToolUse", handler = "typed::check", priority = 40 },
  { id = "last", event = "SessionEnd", handler = "policy::audit", on_error = "raise" },
]
`,
  dotted: `package.name = "acme-agent"
package.version = "1.0.0"
exports.policy = "hooks/policy.js"
exports."the module" = 'hooks/module.mjs'
policy.strict = true

[[hooks]]
event = "PreToolUse"
handler = "policy::check"
options.deny = ["a", "b"]
options.nested.deeper.still = 1

[[hooks]]
event = "PreToolUse"
handler = "the module::check"
`,
  texts: `[exports]
"policy" = """hooks/policy.js"""
'common' = '''hooks/common.cjs'''

[[hooks]]
event = "Pre\\u0054oolUse"
handler = 'policy::check'
pattern = 'tool.name =~ "^(Write|Edit)$"'
options = { text = """
Two lines, a "quote", a tab \\t and a \\
    continuation.""", raw = '''
C:\\no\\escape''', empty = "", astral = "\\U0001F600 😀" }

[[hooks]]
event = "PreToolUse"
handler = "common::late"
`,
  numbers: `[exports]
policy = "hooks/policy.js"

[[hooks]]
event = "PreToolUse"
handler = "policy::check"
priority = -31
timeout_ms = 1_500.5
options = { hex = 0xFF, oct = 0o755, bin = 0b1010, big = 9_007_199_254_740_991, exp = 6.02e23, neg = -1.5e-3, yes = true }

[[hooks]]
event = "PreToolUse"
handler = "policy::audit"
priority = +9
timeout_ms = 1e3
`,
  own: `[package]
name = "acme-agent"
description = "handlers by this package's own name"
harn = ">=0.1 <1"

[exports]
"." = "hooks/policy.js"
"sub/path" = "hooks/typed.mts"

[[hooks]]
event = "UserPromptSubmit"
handler = "acme-agent::check"

[[hooks]]
event = "Stop"
handler = "acme-agent/sub/path::check"
`,
  events: [
    '[exports]\npolicy = "hooks/policy.js"\n',
    ...[
      ["SessionStart", 'source == "startup"'],
      ["UserPromptSubmit", "*"],
      ["PreToolUse", "{Write,Edit,mcp__*}"],
      ["PreToolUse", "tool.args.path"],
      ["PostToolUse", "tool.name != Bash"],
      ["FileEdited", "**/*.ts"],
      ["PermissionAsked", ""],
      ["OnBudgetThreshold(80)", "*"],
      ["PreCompact", "auto"],
      ["SubagentStop", "re[vw]*"],
      ["custom.release", "*"],
      ["meta.policy", "*"],
    ].map(([event, pattern]) => `[[hooks]]\nevent = "${event}"\npattern = '${pattern}'\nhandler = "policy::check"\n`),
  ].join("\n"),
  nested: `[exports]
policy = "hooks/policy.js"

[[hooks]]
event = "PreToolUse"
handler = "policy::check"

[hooks.options]
mode = "strict"

[hooks.options.limits.size]
max = 10

[[hooks.options.rules]]
name = "first"

[[hooks.options.rules]]
name = "second"
nested = [[1, 2], [{ a = 1 }, { b = [] }]]

[[hooks]]
event = "PostToolUse"
handler = "policy::shape"
`,
  windows: `\ufeff# Gruß aus Zürich 😀\r\n[exports]\r\n\tpolicy\t=\t"hooks/policy.js"\t# with tabs\r\n\r\n[[hooks]]\r\nevent = "PreToolUse"\r\nhandler = "policy::check"\r\n`,
  modules: `[exports]
a = "hooks/typed.ts"
b = "hooks/typed.cts"
c = "hooks/common.cjs"
d = "hooks/awaits.js"
e = "./hooks/../hooks/module.mjs"

[[hooks]]
event = "PreToolUse"
handler = "a::check"
[[hooks]]
event = "PreToolUse"
handler = "b::check"
[[hooks]]
event = "PreToolUse"
handler = "c::check"
[[hooks]]
event = "PreToolUse"
handler = "d::check"
[[hooks]]
event = "PreToolUse"
handler = "e::check"`,
  comments:
    '#!not a shebang\n[policy] # the whole stack\nstrict=true#no space\n   \n[ exports ]\n"policy"="hooks/policy.js"\n\n\n[[ hooks ]] # one\nevent="PreToolUse" # gate\nhandler="policy::check"\n# the end',
};

/** Valid manifests, each with its name: what mutants are made from. */
export const manifestSeeds: ReadonlyMap<string, string> = new Map([
  ["example", readFileSync(join(root, "harn.toml.example"), "utf8")],
  ...Object.entries(seeds),
]);

/** A directory with every module and package the seeds name. */
export function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "harn-fuzz-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  cpSync(join(root, EXAMPLE_POLICY), join(home, EXAMPLE_POLICY));
  mkdirSync(join(home, "node_modules/@hooks"));
  symlinkSync(join(root, "packages/core"), join(home, "node_modules/@hooks/core"), "junction");
  symlinkSync(join(root, "README.md"), join(home, "hooks/outside.js"));
  return home;
}
