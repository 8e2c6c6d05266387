import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { root } from "../house/repository.js";

const BLOCK = 512;

const run = promisify(execFile);

/** A package as a registry has it. */
export interface Tarball {
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly dependencies?: Record<string, string>;
  };
  readonly bytes: Buffer;
}

/** Packs a package of this workspace the way it is published. */
export async function packWorkspace(folder: string, scratch: string): Promise<Tarball> {
  const target = mkdtempSync(join(scratch, "pack-"));
  const pnpm = join(root, "node_modules/pnpm/bin/pnpm.cjs");
  await run(process.execPath, [pnpm, "pack", "--pack-destination", target], { cwd: join(root, folder) });
  const [name = ""] = readdirSync(target);
  const bytes = readFileSync(join(target, name));
  return { manifest: manifestIn(gunzipSync(bytes)), bytes };
}

/** The package.json of an unzipped tarball: packing has put versions in the place of links. */
function manifestIn(tar: Buffer): Tarball["manifest"] {
  for (let at = 0; at < tar.length; ) {
    const name = tar.toString("utf8", at, at + 100).replace(/\0.*$/s, "");
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 136), 8) || 0;
    const start = at + BLOCK;
    if (name === "package/package.json") return JSON.parse(tar.toString("utf8", start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error("there is no package.json in it");
}

/** Packs a package that is installed: what it brought is what it has. */
export function packInstalled(directory: string): Tarball {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Tarball["manifest"];
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !relative(directory, entry.parentPath).split(sep).includes("node_modules"))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"));
  const blocks = files.flatMap((name) => entry(posix.join("package", name), readFileSync(join(directory, name))));
  return { manifest, bytes: gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])) };
}

/** One file in the ustar format. */
function entry(path: string, bytes: Buffer): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  const split = path.length <= 100 ? -1 : path.lastIndexOf("/", 154);
  header.write(path.slice(split + 1), 0, 100);
  if (split !== -1) header.write(path.slice(0, split), 345, 155);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0", 257);
  header.write("00", 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}
