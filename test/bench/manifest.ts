import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadHarness } from "@hooks/manifest";
import { trust } from "../house/trusted.js";
import { compare, type Row, report } from "./measure.js";

const PACKAGES = 10;
const SIZES = [1, 100, 1_000];
const bin = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url));
const library = new URL("../../packages/manifest/dist/index.js", import.meta.url).href;
const root = realpathSync(mkdtempSync(join(tmpdir(), "harn-bench-")));

const nameOf = (index: number) => `@bench/hooks-${index}`;
const manifestOf = (hooks: number) => join(root, `${hooks}-hooks.toml`);

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Ten hook packages, and manifests that bind their exports in turn. */
function makeProject(): void {
  const exports = Array.from({ length: Math.max(...SIZES) / PACKAGES }, (_, index) => `check${index}`);
  const hooks = Object.fromEntries(exports.map((name) => [name, { events: ["PreToolUse", "PostToolUse"] }]));
  for (let index = 0; index < PACKAGES; index++) {
    const home = join(root, "node_modules", nameOf(index));
    const description = {
      name: nameOf(index),
      version: "1.2.3",
      type: "module",
      exports: "./index.js",
      harn: { api: 1, hooks },
    };
    write(join(home, "package.json"), JSON.stringify(description));
    write(join(home, "index.js"), exports.map((name) => `export function ${name}() {}\n`).join(""));
  }
  write(manifestOf(0), "hooks = []\n");
  for (const size of SIZES) {
    const used = Array.from({ length: Math.min(size, PACKAGES) }, (_, index) => `"${nameOf(index)}" = "^1.0.0"\n`);
    const entries = Array.from(
      { length: size },
      (_, index) => `[[hooks]]
id = "hook-${index}"
event = "${index % 4 === 0 ? "PostToolUse" : "PreToolUse"}"
pattern = "${["Bash", "mcp__*", "{Write,Edit}", "tool.args.path"][index % 4]}"
handler = "${nameOf(index % PACKAGES)}::check${Math.floor(index / PACKAGES)}"
priority = ${10 + (index % 30)}
options = { limit = ${index}, deny = ["a", "b"] }
`,
    );
    write(manifestOf(size), `[dependencies]\n${used.join("")}\n${entries.join("\n")}`);
  }
  const names = Array.from({ length: PACKAGES }, (_, index) => nameOf(index));
  write(join(root, "packages.mjs"), names.map((name) => `import "${name}";\n`).join(""));
  write(join(root, "library.mjs"), `import "${library}";\n`);
  write(
    join(root, "load.mjs"),
    `import { loadHarness } from "${library}";
const loaded = await loadHarness({ manifest: process.argv[2] });
if (!loaded.ok) throw new Error(loaded.message);
`,
  );
}

// Reading extra certificates costs every process more than what is measured here.
const { NODE_EXTRA_CA_CERTS: _, ...around } = process.env;
// What is trusted and kept between starts goes with the rest.
const env = { ...around, HOME: root, XDG_STATE_HOME: join(root, "state"), XDG_CACHE_HOME: join(root, "cache") };
const input = '{"event": "PreToolUse", "payload": {"tool": {"name": "Bash", "args": {"command": "ls"}}}}\n';

function run(...args: string[]): () => void {
  return () => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, input, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
}

const milliseconds = (rows: readonly Row[], name: string) =>
  (rows.find((row) => row.name === name)?.nanoseconds ?? Number.NaN) / 1e6;

const sections: Record<string, () => Promise<void>> = {
  async cold() {
    const loads = Object.fromEntries(
      SIZES.map((size) => [`load, hooks: ${size}`, run(join(root, "load.mjs"), manifestOf(size))]),
    );
    const sizes = [0, ...SIZES];
    for (const size of sizes) await trust(root, env, manifestOf(size));
    const product = Object.fromEntries(
      sizes.map((size) => [`harn run, hooks: ${size}`, run(bin, "run", "--manifest", manifestOf(size))]),
    );
    const rows = await compare({
      "node -e 0": run("-e", "0"),
      "import the 10 packages": run(join(root, "packages.mjs")),
      "import the loader": run(join(root, "library.mjs")),
      ...loads,
      ...product,
    });
    report("cold, a process each", rows);
    const over = (name: string, reference: string) => milliseconds(rows, name) - milliseconds(rows, reference);
    const packages = over("import the 10 packages", "node -e 0");
    console.log(`  what the 10 packages take above node -e 0: ${packages.toFixed(1)} ms`);
    const [command, module] = ["harn run", "load"].map((way) => over(`${way}, hooks: 100`, "node -e 0"));
    console.log(`  100 hooks above node -e 0, by the command: ${command?.toFixed(1)} ms   target <= 60 ms`);
    console.log(`    of it, for the policy: ${over("harn run, hooks: 100", "harn run, hooks: 0").toFixed(1)} ms`);
    console.log(`  100 hooks above node -e 0, by the library, which is not bundled: ${module?.toFixed(1)} ms`);
    console.log(`    of it, its own modules: ${over("import the loader", "node -e 0").toFixed(1)} ms`);
    const growth = (over("load, hooks: 1000", "load, hooks: 100") / 900) * 1_000;
    console.log(`  growth from 100 to 1,000 hooks: ${growth.toFixed(0)} µs a hook`);
  },
  async warm() {
    const again = SIZES.map((size): [string, () => Promise<unknown>] => [
      `load again, hooks: ${size}`,
      () => loadHarness({ manifest: manifestOf(size) }),
    ]);
    const harnesses = await Promise.all(SIZES.map((size) => loadHarness({ manifest: manifestOf(size) })));
    const reloads = harnesses.map((loaded, index): [string, () => Promise<unknown>] => {
      if (!loaded.ok) throw new Error(loaded.message);
      return [`reload, hooks: ${SIZES[index]}`, () => loaded.harness.reload()];
    });
    report("in one process", await compare(Object.fromEntries([...again, ...reloads])));
  },
};

try {
  makeProject();
  const wanted = process.argv.slice(2);
  for (const [name, run] of Object.entries(sections)) if (wanted.length === 0 || wanted.includes(name)) await run();
} finally {
  rmSync(root, { recursive: true });
}
