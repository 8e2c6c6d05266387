import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EventName } from "@hooks/core";
import { root } from "../house/repository.js";

/** `case.json` of a sample: what its files alone cannot say. Every key is optional. */
export interface Case {
  /** Where the load starts, from the sample's own directory. */
  readonly cwd?: string;
  /** The manifest to load, instead of looking for one. */
  readonly manifest?: string;
  /** Manifests of whoever manages the machine; none when absent. */
  readonly managed?: readonly string[];
  /** Whether its content is trusted; it is when absent. */
  readonly trusted?: boolean;
  /** Symbolic links, each with its target; `<root>` in a target is this repository. */
  readonly links?: Readonly<Record<string, string>>;
  /** Directories no repository can hold: empty ones, `.git`. */
  readonly directories?: readonly string[];
  /** Texts of files and what to put in their place, byte by byte: what no editor or linter would leave alone. */
  readonly replace?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Files to fill up to so many bytes. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Files to take every permission from. */
  readonly unreadable?: readonly string[];
  /** The manifest that must have been loaded, from the sample's own directory; null for none. */
  readonly loads?: string | null;
  /** Fields of the stack's hooks, in their order. */
  readonly hooks?: readonly object[];
  /** Events to fire, one after the other. */
  readonly steps?: readonly Step[];
}

export interface Step {
  readonly event: EventName;
  /** The sample of the event when absent. */
  readonly payload?: object;
  /** A Markdown hook to add in code first, by what it returns. */
  readonly beside?: { readonly returns: unknown };
  /** Fields of the outcome. */
  readonly expect?: object;
  /** The error that must come out of the dispatch instead. */
  readonly throws?: string;
}

const here = fileURLToPath(new URL(".", import.meta.url));

// Installed packages are never checked in, and an ignored directory could not be: their tree goes by another name.
const TREE = "node_modules.tree";

export function readCase(name: string): Case {
  const file = join(here, name, "case.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Case) : {};
}

/** Copies of samples in a temporary directory, which `remove` deletes. */
export function openScratch(): { directory: string; copy(name: string): string; remove(): void } {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-samples-")));
  return {
    directory: scratch,
    copy(name) {
      const target = join(scratch, name);
      cpSync(join(here, name), target, { recursive: true });
      arrange(target, readCase(name));
      return target;
    },
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function arrange(target: string, { directories = [], links = {}, replace = {}, sizes = {}, unreadable = [] }: Case) {
  const trees = readdirSync(target, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(TREE));
  for (const tree of trees.reverse()) renameSync(join(target, tree), join(target, dirname(tree), "node_modules"));
  for (const path of directories) mkdirSync(join(target, path), { recursive: true });
  for (const [path, texts] of Object.entries(replace)) {
    let bytes = readFileSync(join(target, path), "latin1");
    for (const [from, to] of Object.entries(texts)) bytes = bytes.replaceAll(from, to);
    writeFileSync(join(target, path), bytes, "latin1");
  }
  for (const [path, size] of Object.entries(sizes)) truncateSync(join(target, path), size);
  for (const [path, to] of Object.entries(links)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    symlinkSync(to.replace("<root>", root), join(target, path));
  }
  for (const path of unreadable) chmodSync(join(target, path), 0);
}
