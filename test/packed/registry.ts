import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { packageFolders, readJson, root } from "../house/repository.js";
import { packInstalled, packWorkspace, type Tarball } from "./tarball.js";

/** A registry on the loopback interface. */
export interface Registry {
  readonly url: string;
  close(): void;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The published packages of the workspace, by name. */
export function publishedFolders(): ReadonlyMap<string, string> {
  const entries = packageFolders().map((folder) => ({
    folder,
    manifest: readJson<Manifest>(`${folder}/package.json`),
  }));
  return new Map(
    entries.filter(({ manifest }) => manifest.private !== true).map(({ folder, manifest }) => [manifest.name, folder]),
  );
}

/** Packs packages of the workspace and all that they need, from the workspace and from elsewhere. */
export async function packFor(wanted: readonly string[], scratch: string): Promise<Tarball[]> {
  const folders = publishedFolders();
  const own = new Set(wanted);
  const others = new Map<string, Tarball>();
  for (const name of own) {
    const folder = folders.get(name);
    if (folder === undefined) throw new Error(`${name} is no published package of the workspace`);
    const { dependencies, peerDependencies } = readJson<Manifest>(`${folder}/package.json`);
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (folders.has(needed)) own.add(needed);
      else collect(needed, join(root, folder), others);
    }
  }
  const packed = await Promise.all([...own].map((name) => packWorkspace(folders.get(name) ?? "", scratch)));
  return [...packed, ...others.values()];
}

/** Packs an installed package and what it depends on. */
function collect(name: string, from: string, found: Map<string, Tarball>): void {
  if (found.has(name)) return;
  const directory = locate(name, from);
  if (directory === undefined) throw new Error(`${name} is not installed for ${from}`);
  const packed = packInstalled(directory);
  found.set(name, packed);
  for (const next of Object.keys(packed.manifest.dependencies ?? {})) collect(next, directory, found);
}

function locate(name: string, from: string): string | undefined {
  for (let here = from; ; here = dirname(here)) {
    const candidate = join(here, "node_modules", name);
    if (existsSync(candidate)) return realpathSync(candidate);
    if (here === dirname(here)) return undefined;
  }
}

/** Serves tarballs the way a registry does, and takes those that are published to it. */
export async function serve(tarballs: readonly Tarball[]): Promise<Registry> {
  const packages = [...tarballs];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/");
    if (request.method === "PUT") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => void chunks.push(chunk));
      request.on("end", () => {
        packages.push(published(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Publication));
        response.writeHead(201, JSON_TYPE).end("{}");
      });
      return;
    }
    const file = packages.find((tarball) => path === pathOf(tarball));
    if (file !== undefined) return void response.end(file.bytes);
    const packed = packages.filter(({ manifest }) => path === `/${manifest.name}`);
    const latest = packed.at(-1)?.manifest;
    if (latest === undefined) return void response.writeHead(404, JSON_TYPE).end("{}");
    const versions = Object.fromEntries(packed.map((one) => [one.manifest.version, describe(one, address())]));
    const answer = { name: latest.name, "dist-tags": { latest: latest.version }, versions };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: address(), close: () => void server.close() };
}

const JSON_TYPE = { "content-type": "application/json" };

/** What a package manager sends to publish. */
interface Publication {
  readonly versions: Readonly<Record<string, Tarball["manifest"]>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

function published({ versions, _attachments }: Publication): Tarball {
  const [manifest] = Object.values(versions);
  const [attachment] = Object.values(_attachments);
  if (manifest === undefined || attachment === undefined) throw new Error("nothing was sent to be published");
  return { manifest, bytes: Buffer.from(attachment.data, "base64") };
}

function describe(tarball: Tarball, address: string): object {
  const dist = {
    tarball: `${address}${pathOf(tarball)}`,
    integrity: `sha512-${createHash("sha512").update(tarball.bytes).digest("base64")}`,
    shasum: createHash("sha1").update(tarball.bytes).digest("hex"),
  };
  return { ...tarball.manifest, dist };
}

function pathOf({ manifest: { name, version } }: Tarball): string {
  return `/${name}/-/${name.replace(/^.*\//, "")}-${version}.tgz`;
}
