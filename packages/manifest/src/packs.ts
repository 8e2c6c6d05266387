import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { nearest } from "@hooks/core";
import { realpath } from "./disk.js";
import type { Finding } from "./document.js";
import { MANIFEST } from "./find.js";
import type { Layer } from "./layer.js";
import { Packages } from "./packages.js";
import type { Problem } from "./problem.js";
import { isFile, PACKAGE, URL_LIKE } from "./target.js";
import { type Loading, readUnit, type Unit } from "./unit.js";

/** Where a pack is. */
interface Found {
  readonly path: string;
  /** The name it is installed under; a directory is called what its manifest says. */
  readonly name?: string;
  readonly version?: string | undefined;
}

type Mistake = Omit<Finding, "path">;

/** Reads packs, each of them once. */
export interface PackReader {
  /** Everything a manifest extends, and what that extends in turn, each before whatever builds on it. */
  read(unit: Unit, layerOf: (name: string, version: string | undefined) => Layer): Promise<Unit[]>;
  /** What keeps a pack from being read at all. */
  readonly problems: Problem[];
  readonly texts: Map<string, string>;
}

/** Makes a reader of packs; each pack is found from where it is named. */
export function packReader(loading: Loading): PackReader {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const known = new Map<string, { readonly unit: Unit; readonly by: string }>();
  const byName = new Map<string, string>();

  async function read(start: Unit, layerOf: (name: string, version: string | undefined) => Layer): Promise<Unit[]> {
    const units: Unit[] = [];

    async function visit(unit: Unit, trail: readonly string[]): Promise<void> {
      const here = new Set<string>();
      for (const [index, wanted] of (unit.manifest.extends ?? []).entries()) {
        if (typeof wanted !== "string") continue;
        const refuse = (mistake: Mistake) => void unit.findings.push({ ...mistake, path: ["extends", index] });
        const found = await findPack(wanted, unit);
        if ("code" in found) refuse(found);
        else {
          const place = await realpath(found.path);
          if (here.has(place)) refuse(named(`"${wanted}" is named twice`, "take one of the two out"));
          else if (trail.includes(place))
            refuse(circle(wanted, [...trail.slice(trail.indexOf(place)), place], loading));
          else if (!known.has(place)) await add(found, place, unit, trail, refuse);
          here.add(place);
        }
      }
    }

    async function add(
      { path, name, version }: Found,
      place: string,
      by: Unit,
      trail: readonly string[],
      refuse: (mistake: Mistake) => void,
    ): Promise<void> {
      const file = loading.show(path);
      const read = await readUnit(
        path,
        file,
        (manifest) =>
          layerOf(name ?? manifest.package?.name ?? basename(dirname(path)), version ?? manifest.package?.version),
        loading,
      );
      if ("problem" in read) {
        problems.push(read.problem);
        texts.set(file, read.text);
        return;
      }
      const { name: called = "", version: has } = read.layer;
      const other = byName.get(called);
      if (other !== undefined) {
        const { unit, by: who } = known.get(other) as { unit: Unit; by: string };
        const versions =
          has === unit.layer.version ? "two of them" : `${has ?? "no version"} and ${unit.layer.version}`;
        refuse({
          code: "HARN_E_PACK_CONFLICT",
          message: `two packs are called "${called}" (${versions}): ${file}, and ${unit.document.file} that ${who} extends`,
          help: "make both resolve to one version, or give one of them another name",
        });
        return;
      }
      byName.set(called, place);
      known.set(place, { unit: read, by: by.document.file });
      await visit(read, [...trail, place]);
      // What it builds on stands before it.
      units.push({ ...read, isInstalled: name !== undefined });
    }

    await visit(start, [await realpath(start.path)]);
    return units;
  }

  return { read, problems, texts };
}

function named(message: string, help: string): Mistake {
  return { code: "HARN_E_PACK_DUPLICATE", message, help };
}

function circle(wanted: string, trail: readonly string[], { show }: Loading): Mistake {
  const way = trail.map((path) => show(path)).join(" -> ");
  return {
    code: "HARN_E_PACK_CYCLE",
    message: `"${wanted}" leads back to itself: ${way}`,
    help: "take one of these out of the list of the other",
  };
}

async function findPack(wanted: string, { root, manifest }: Unit): Promise<Found | Mistake> {
  if (/^\.{1,2}(?:\/|$)/.test(wanted)) return findDirectory(wanted, root);
  const [, name, subpath] = PACKAGE.exec(wanted) ?? [];
  if (name === undefined || subpath !== undefined || isAbsolute(wanted) || URL_LIKE.test(wanted)) {
    const isThere = !isAbsolute(wanted) && (await isFile(join(root, wanted, MANIFEST)));
    return {
      code: "HARN_E_PACK_NOT_FOUND",
      message: `"${wanted}" is neither a package's name nor a relative directory`,
      hint: isThere ? `did you mean "./${wanted}"?` : undefined,
      help: 'write "@acme/policy-pack", or "./policies"',
    };
  }
  const found = await new Packages(root).find(name);
  if (found === undefined) return notInstalled(name, await isFile(join(root, name, MANIFEST)), manifest.dependencies);
  if ("broken" in found) {
    const help = `ask its authors, or reinstall ${name}`;
    return { code: "HARN_E_PACKAGE_INVALID", message: `package ${name}: ${found.broken}`, help };
  }
  const path = join(found.root, MANIFEST);
  if (await isFile(path)) return { path, name, version: found.version };
  return {
    code: "HARN_E_PACK_NOT_FOUND",
    message: `${name} ${found.version ?? ""} has no ${MANIFEST}, so it is no pack`,
    help: `bind its hooks under [[hooks]]: handler = "${name}::..."`,
  };
}

function notInstalled(name: string, isDirectory: boolean, dependencies: Unit["manifest"]["dependencies"]): Mistake {
  const near = nearest(name, Object.keys(dependencies ?? {}));
  const meant = isDirectory ? `./${name}` : near === name ? undefined : near;
  const range = dependencies !== undefined && Object.hasOwn(dependencies, name) ? `@${dependencies[name]}` : "";
  return {
    code: "HARN_E_PACK_NOT_FOUND",
    message: `no package ${name} is installed here`,
    hint: meant === undefined ? undefined : `did you mean "${meant}"?`,
    help: meant === undefined ? `npm install ${name}${range}` : `write "${meant}"`,
  };
}

async function findDirectory(wanted: string, root: string): Promise<Found | Mistake> {
  const path = join(resolve(root, wanted), MANIFEST);
  if (await isFile(path)) return { path };
  return {
    code: "HARN_E_PACK_NOT_FOUND",
    message: `"${wanted}" has no ${MANIFEST}`,
    help: "name a directory with one, relative to this file",
  };
}
