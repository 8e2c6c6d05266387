import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where a package was installed from, as the package manager wrote it down. */
export interface Origin {
  /** The address of its archive. */
  readonly resolved: string;
  /** The hash of the archive, as registries give it. */
  readonly integrity?: string | undefined;
}

/** The origins of what is installed for a directory, by name@version. What is not in it came from nobody knows where. */
export type Origins = ReadonlyMap<string, Origin>;

/** Reads what npm, pnpm, yarn or bun wrote when they installed; the nearest record upwards counts. */
export async function readOrigins(directory: string): Promise<Origins> {
  for (let here = directory; ; here = dirname(here)) {
    for (const [file, parse] of RECORDS) {
      const text = await readText(join(here, file));
      if (text !== undefined) return new Map(await parse(text, here));
    }
    if (here === dirname(here)) return new Map();
  }
}

type Entry = readonly [package_: string, origin: Origin];

const RECORDS: readonly (readonly [file: string, parse: (text: string, home: string) => Entry[] | Promise<Entry[]>])[] =
  [
    ["node_modules/.package-lock.json", fromNpm],
    ["node_modules/.modules.yaml", fromPnpm],
    ["bun.lock", fromBun],
    ["yarn.lock", fromYarn],
  ];

function fromNpm(text: string): Entry[] {
  const { packages = {} } = JSON.parse(text) as {
    packages?: Record<string, { name?: string; version?: string; resolved?: string; integrity?: string }>;
  };
  return Object.entries(packages).flatMap(([path, { name, version, resolved, integrity }]): Entry[] => {
    const called = name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return resolved === undefined ? [] : [[`${called}@${version}`, { resolved, integrity }]];
  });
}

/** pnpm names an archive only where it does not lie where its registry would have it. */
async function fromPnpm(text: string, home: string): Promise<Entry[]> {
  const { parse } = await import("yaml");
  const { registries = {} } = parse(text) as { registries?: Record<string, string> };
  const lock = await readText(join(home, "node_modules/.pnpm/lock.yaml"));
  const { packages = {} } = parse(lock ?? "{}") as {
    packages?: Record<string, { resolution?: { integrity?: string; tarball?: string } }>;
  };
  return Object.entries(packages).flatMap(([key, { resolution }]): Entry[] => {
    const called = key.replace(/\(.*$/, "");
    const name = called.slice(0, called.lastIndexOf("@"));
    const registry = registries[name.split("/")[0] ?? ""] ?? registries.default;
    const resolved = resolution?.tarball ?? (registry === undefined ? undefined : `${slashed(registry)}${name}`);
    return resolved === undefined ? [] : [[called, { resolved, integrity: resolution?.integrity }]];
  });
}

const BUN = /\["((?:@[^/"]+\/)?[^@"]+@[^"]+)", "(https?:[^"]+)", .*?(?:"(sha\d+-[^"]+)")?\],?$/gm;

function fromBun(text: string): Entry[] {
  return [...text.matchAll(BUN)].map(
    ([, name = "", resolved = "", integrity]): Entry => [name, { resolved, integrity }],
  );
}

const YARN =
  /^"?((?:@[^/"\n]+\/)?[^@"\n]+)@.*:\n {2}version "([^"]+)"\n {2}resolved "([^"#]+)[^"]*"(?:\n {2}integrity (\S+))?/gm;

function fromYarn(text: string): Entry[] {
  return [...text.matchAll(YARN)].map(
    ([, name, version, resolved = "", integrity]): Entry => [`${name}@${version}`, { resolved, integrity }],
  );
}

function slashed(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
