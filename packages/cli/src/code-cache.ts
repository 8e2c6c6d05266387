import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";

// The digest of the parts this launcher was built with.
declare const HARN_DIGEST: string;

type Part = (
  exports: unknown,
  module: { exports: unknown },
  require: NodeJS.Require,
  filename: string,
  dirname: string,
  importModule: (url: string) => Promise<unknown>,
  loadPart: (name: string) => unknown,
) => void;

/**
 * Makes the function that loads the parts of the program, each with the machine code V8 made of it the last time. Most of
 * a cold start is compiling: with the code at hand a verb starts in half the time.
 *
 * The cache can cost nothing but time: it lives in a directory that only its owner can reach, its name holds the digest
 * of the program, V8 refuses code of another version or source, and whatever is wrong with it means going without.
 */
export function createLoader(verb: string): (name: string) => unknown {
  const directory = cacheDirectory();
  const loaded = new Map<string, { exports: unknown }>();

  function loadPart(name: string): unknown {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const file = join(__dirname, `${name}.js`);
    // What a verb needs of the program differs, what it needs of a library hardly does.
    const kept = directory && join(directory, `${HARN_DIGEST}-${process.version}-${name === "harn" ? verb : name}`);
    const cachedData = kept === undefined ? undefined : readPrivate(kept);
    const source = `(function (exports, module, require, __filename, __dirname, importModule, loadPart) {${readFileSync(file, "latin1")}\n})`;
    const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
    const part = script.runInThisContext() as Part;
    // A script that comes from a cache has lost its way to import; this module's own is as good.
    part(module.exports, module, createRequire(file), file, __dirname, (url) => import(url), loadPart);
    if (kept !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
      // By the end the functions that are needed are compiled, and only those are worth keeping.
      process.once("exit", () => keep(kept, script));
    }
    return module.exports;
  }

  return loadPart;
}

function cacheDirectory(): string | undefined {
  const { HARN_CODE_CACHE: wanted, XDG_CACHE_HOME: cache, LOCALAPPDATA: local } = process.env;
  if (wanted === "off") return undefined;
  const home = process.platform === "win32" ? local : cache?.startsWith("/") ? cache : join(homedir(), ".cache");
  return home === undefined ? undefined : join(home, "harn", "code");
}

/** A file that nobody but its owner, who is running this, could have written. */
function readPrivate(file: string): Buffer | undefined {
  try {
    const { uid, mode } = statSync(file);
    const isPrivate = process.platform === "win32" || (uid === process.getuid?.() && (mode & 0o077) === 0);
    return isPrivate ? unsealed(readFileSync(file)) : undefined;
  } catch {
    return undefined;
  }
}

function keep(file: string, script: Script): void {
  const draft = `${file}.${process.pid}`;
  try {
    const directory = join(file, "..");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    sweep(directory);
    writeFileSync(draft, sealed(script.createCachedData()), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch {
    try {
      unlinkSync(draft);
    } catch {
      // There was none.
    }
  }
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** Removes what an older version, or another Node, left a while ago. */
function sweep(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (!name.startsWith(HARN_DIGEST) && Date.now() - statSync(file).mtimeMs > WEEK_MS) unlinkSync(file);
  }
}

const SEAL = 8;

/** V8 trusts what it is given: a file that a crash left half-written must not reach it. */
function sealed(code: Buffer): Buffer {
  const seal = Buffer.alloc(SEAL);
  seal.writeUInt32LE(code.length, 0);
  seal.writeUInt32LE(sumOf(code), 4);
  return Buffer.concat([code, seal]);
}

function unsealed(file: Buffer): Buffer | undefined {
  if (file.length < SEAL) return undefined;
  const code = file.subarray(0, -SEAL);
  const isWhole = file.readUInt32LE(code.length) === code.length && file.readUInt32LE(code.length + 4) === sumOf(code);
  return isWhole ? code : undefined;
}

/** Of every 32 bytes one: what a crash leaves out are whole blocks, and reading all of it takes longer than V8 does. */
function sumOf(code: Buffer): number {
  let sum = code.length;
  for (let at = 0; at < code.length; at += 32) sum = (Math.imul(sum, 31) + (code[at] as number)) | 0;
  return sum >>> 0;
}
