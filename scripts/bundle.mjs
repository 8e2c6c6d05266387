// Bundles the command line into packages/cli/dist: the program in one part, and each library that not every policy needs
// in one of its own, which is read when it is first used. A second run does nothing.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = join(root, "packages", "cli");
const dist = join(home, "dist");
const stamp = join(dist, ".bundle.json");

const LIBRARIES = [
  "@hooks/starlark",
  "@iarna/toml",
  "@modelcontextprotocol/sdk/client/streamableHttp.js",
  "@sigstore/bundle",
  "@sigstore/tuf",
  "@sigstore/verify",
  "ajv",
  "ajv/dist/2020.js",
  "import-meta-resolve",
  "picomatch",
  "re2js",
  "semver/classes/range.js",
  "semver/functions/gt.js",
  "semver/functions/valid.js",
  "tar",
  "toml-eslint-parser",
  "yaml",
];
// Node's own modules take their time as well.
const BUILTINS = ["child_process", "crypto", "dns", "http", "https", "net", "tty", "worker_threads"].map(
  (name) => `node:${name}`,
);
const LAZY = [...LIBRARIES, ...BUILTINS];

// Stands in for an export until it is used, and is of the same type. A class may be constructed, extended and asked whose
// instance something is.
const STAND_IN = `
let loaded;
function member(name, type) {
  const real = () => {
    loaded ??= load();
    return name === "default" && !loaded.__esModule ? loaded : loaded[name];
  };
  return new Proxy(type === "function" ? function () {} : {}, {
    get: (_, key) => real()[key],
    has: (_, key) => key in real(),
    apply: (_, self, args) => Reflect.apply(real(), self, args),
    construct: (_, args, target) => Reflect.construct(real(), args, target),
    getPrototypeOf: () => Reflect.getPrototypeOf(real()),
  });
}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();

/** Writes packages/cli/dist, unless what it is made from has not changed since. */
export async function bundle() {
  if (isFresh()) return;
  const { build } = await import("esbuild");
  rmSync(dist, { recursive: true, force: true });
  const inputs = new Set(["scripts/bundle.mjs"]);
  const make = async (name, entry, options) => {
    const { metafile } = await build({
      entryPoints: { [name]: entry },
      outdir: dist,
      absWorkingDir: root,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "cjs",
      // jsonc-parser hides what it requires from a bundler, except in its modules.
      mainFields: ["module", "main"],
      // A compiler for policies in TypeScript, too large to be read by anybody else's.
      external: ["jiti"],
      legalComments: "none",
      minifySyntax: true,
      minifyWhitespace: true,
      metafile: true,
      logLevel: "error",
      ...options,
    });
    for (const path of Object.keys(metafile.inputs)) if (!path.includes(":")) inputs.add(path);
  };
  const parts = new Map([["harn", join(home, "src", "harn.ts")]]);
  // A part may find that it needs another one.
  for (const [name, entry] of parts) {
    await make(name, entry, {
      define: { "import.meta.url": "importMetaUrl" },
      banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
      plugins: [lazily(parts), importing()],
    });
  }
  await make("worker-entry", join(root, "packages/manifest/dist/worker-entry.js"), { external: ["jiti"] });
  await make("bin", join(home, "src", "bin.ts"), { define: { HARN_DIGEST: JSON.stringify(digestOf(dist)) } });
  // The package speaks ESM. What is started a thousand times a day is CommonJS, which Node starts faster.
  writeFileSync(join(dist, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
  writeFileSync(stamp, JSON.stringify(Object.fromEntries([...inputs].map((path) => [path, seen(path)]))));
}

function isFresh() {
  if (!existsSync(stamp)) return false;
  return Object.entries(JSON.parse(readFileSync(stamp, "utf8"))).every(([path, before]) => seen(path) === before);
}

function seen(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  return found === undefined ? "gone" : `${found.size} ${found.mtimeMs}`;
}

function digestOf(directory) {
  const hash = createHash("sha256");
  for (const name of readdirSync(directory).sort())
    hash.update(`${name}\0`).update(readFileSync(join(directory, name)));
  return hash.digest("hex").slice(0, 32);
}

function partOf(name) {
  return name.replace(/^@|\.js$/g, "").replace(/\W+/g, "-");
}

/** Puts stand-ins in the place of what is loaded lazily, and notes which parts that takes. */
function lazily(parts) {
  return {
    name: "lazily",
    setup(build) {
      build.onResolve({ filter: /^[@\w]/ }, async ({ path, kind, pluginData, ...from }) => {
        const isLazy = LAZY.includes(path) && ["import-statement", "dynamic-import"].includes(kind);
        if (!isLazy || pluginData === "itself") return undefined;
        if (isBuiltin(path)) return { path, namespace: "lazy" };
        const found = await build.resolve(path, { ...from, kind, pluginData: "itself" });
        parts.set(partOf(path), found.path);
        return { path, namespace: "lazy", pluginData: pathToFileURL(found.path).href };
      });
      build.onLoad({ filter: /.*/, namespace: "lazy" }, async ({ path, pluginData }) => {
        const load = isBuiltin(path) ? `require(${JSON.stringify(path)})` : `loadPart(${JSON.stringify(partOf(path))})`;
        const exported = Object.entries(await import(pluginData ?? path)).map(([name, value]) => {
          const isLazy = typeof value === "function" || (typeof value === "object" && value !== null);
          const shown = isLazy
            ? `/* @__PURE__ */ member(${JSON.stringify(name)}, ${JSON.stringify(typeof value)})`
            : JSON.stringify(value);
          return name === "default" ? `export default ${shown};` : `export const ${name} = ${shown};`;
        });
        return { contents: [`const load = () => ${load};`, STAND_IN, ...exported].join("\n") };
      });
    },
  };
}

/** The launcher evaluates the parts itself and hands them an import: see packages/cli/src/code-cache.ts. */
function importing() {
  const unknown = /(?<![.\w])import\((?!["'])/g;
  return {
    name: "importing",
    setup(build) {
      build.onLoad({ filter: /[\\/]packages[\\/].*\.[jt]s$/ }, ({ path }) => ({
        contents: readFileSync(path, "utf8").replace(unknown, "importModule("),
        loader: path.endsWith(".ts") ? "ts" : "js",
      }));
    },
  };
}
