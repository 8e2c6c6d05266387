import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { checkPackage, createPackageFromTarballData, type Package, type ProblemKind } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, describe, expect, test } from "vitest";
import { packageFolders, readJson, root } from "./repository.js";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const publicFolders = packageFolders().filter((folder) => !readJson<Manifest>(`${folder}/package.json`).private);
const scratch = mkdtempSync(join(tmpdir(), "harn-pack-"));
afterAll(() => rmSync(scratch, { recursive: true }));

// The packages are ESM only and say so in `engines`: `require` of them is not promised, and neither is the
// resolution of Node 10, which knows no `exports`.
const NOT_PROMISED: readonly ProblemKind[] = ["CJSResolvesToESM"];
const OLD_RESOLUTION = "node10";

test("there is something to publish", () => {
  expect(publicFolders).toContain("packages/core");
});

test("nothing that is published needs a package that is not", () => {
  const manifests = packageFolders().map((folder) => readJson<Manifest>(`${folder}/package.json`));
  const unpublished = manifests.filter((manifest) => manifest.private).map(({ name }) => name);
  const needs = manifests
    .filter((manifest) => !manifest.private)
    .flatMap(({ name, dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies })
        .filter((needed) => unpublished.includes(needed))
        .map((needed) => `${name} needs ${needed}`),
    );
  expect(needs).toEqual([]);
});

describe.each(publicFolders)("%s, packed", (folder) => {
  const tarball = pack(folder);
  const packed = createPackageFromTarballData(tarball);
  const files = listFiles(packed);

  test("follows the rules of package.json", async () => {
    const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer;
    const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test("brings types that resolve", async () => {
    const { problems = [] } = (await checkPackage(packed)) as { problems?: Problem[] };
    const broken = problems.filter(
      ({ kind, resolutionKind }) => !NOT_PROMISED.includes(kind) && resolutionKind !== OLD_RESOLUTION,
    );
    expect(broken).toEqual([]);
  });

  test("holds its licence and its page, no tests and no build state", () => {
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(files.filter((file) => /\.test\.|\.tsbuildinfo$|(^|\/)tsconfig/.test(file))).toEqual([]);
    expect(readFileSync(`${root}/${folder}/LICENSE`, "utf8")).toBe(readFileSync(`${root}/LICENSE`, "utf8"));
  });

  test("has the source of every source map", () => {
    const maps = files.filter((file) => file.endsWith(".map"));
    const missing = maps.flatMap((map) => {
      const { sources } = JSON.parse(packed.readFile(pathOf(packed, map))) as { sources: string[] };
      return sources.filter((source) => !files.includes(posix.join(posix.dirname(map), source)));
    });
    expect(missing, "a leftover of an old build? remove dist and build again").toEqual([]);
  });
});

interface Problem {
  readonly kind: ProblemKind;
  readonly resolutionKind?: string;
}

function pack(folder: string): Uint8Array {
  const target = mkdtempSync(join(scratch, "package-"));
  const pnpm = join(root, "node_modules/pnpm/bin/pnpm.cjs");
  execFileSync(process.execPath, [pnpm, "pack", "--pack-destination", target], {
    cwd: join(root, folder),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [name = ""] = readdirSync(target);
  return readFileSync(join(target, name));
}

function listFiles(packed: Package): string[] {
  const prefix = pathOf(packed, "");
  return packed.listFiles(prefix).map((file) => file.slice(prefix.length));
}

function pathOf({ packageName }: Package, file: string): string {
  return `/node_modules/${packageName}/${file}`;
}
