import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";

// What a load needs of `node:fs/promises`, without its threads. A policy is many small files, read one after another
// each time an agent asks: the way to a thread and back takes longer than the reading, and on a busy machine far longer.

export function readFile(path: string | URL): Promise<Buffer>;
export function readFile(path: string | URL, encoding: "utf8"): Promise<string>;
export async function readFile(path: string | URL, encoding?: "utf8"): Promise<Buffer | string> {
  return readFileSync(path, encoding);
}

export function readdir(path: string): Promise<string[]>;
export function readdir(path: string, options: { readonly withFileTypes: true }): Promise<Dirent[]>;
export async function readdir(path: string, options?: { readonly withFileTypes: true }): Promise<string[] | Dirent[]> {
  return options === undefined ? readdirSync(path) : readdirSync(path, options);
}

export async function stat(path: string): Promise<Stats> {
  return statSync(path);
}

export async function lstat(path: string): Promise<Stats> {
  return lstatSync(path);
}

export async function realpath(path: string): Promise<string> {
  return realpathSync.native(path);
}
