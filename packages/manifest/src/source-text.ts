import { isBuiltin } from "node:module";
import { dirname, extname, resolve } from "node:path";
import { EXTENSIONS, isFile, PACKAGE } from "./target.js";

/** What a module's text says it exports. */
export interface StaticExports {
  readonly names: ReadonlySet<string>;
  /** Whether there may be more: what it passes on from elsewhere, or makes while it runs. */
  readonly isOpen: boolean;
}

const DECLARED = /\bexport\s+(?:declare\s+)?(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s+([\w$]+)/g;
const LISTED = /\bexport\s*\{([^}]*)\}/g;
const ASSIGNED = /\bexports\.([\w$]+)\s*=/g;
const OPEN =
  /\bexport\s*\*|\bexport\s+(?:const|let|var)\s*[{[]|\bmodule\.exports\s*=|\bexports\[|Object\.(?:assign|define)/;

/** Reads the exports of a module without running it. */
export function readExports(text: string): StaticExports {
  const listed = [...text.matchAll(LISTED)].flatMap(([, list = ""]) =>
    list.split(",").map(
      (item) =>
        item
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? "",
    ),
  );
  const names = [...text.matchAll(DECLARED), ...text.matchAll(ASSIGNED)].map(([, name = ""]) => name);
  const whole = /\bexport\s+default\b/.test(text) ? ["default"] : [];
  return { names: new Set([...names, ...listed, ...whole].filter((name) => name !== "")), isOpen: OPEN.test(text) };
}

/** Whether a module may export a name: where its text does not say all, a mention of the name will do. */
export function mayExport(text: string, name: string): boolean {
  const { names, isOpen } = readExports(text);
  return names.has(name) || isOpen || !/^[\w$]+$/.test(name) || new RegExp(`\\b${name}\\b`).test(text);
}

const IMPORTED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** The files a module imports by a relative path that is written out in it. */
export async function readImports(file: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const [, specifier = ""] of text.matchAll(IMPORTED)) {
    const path = resolve(dirname(file), specifier);
    const candidates = [
      path,
      ...EXTENSIONS.map((extension) => path + extension),
      path.replace(/\.([cm]?)js$/, ".$1ts"),
      ...EXTENSIONS.map((extension) => `${path}/index${extension}`),
    ];
    for (const candidate of candidates) {
      if (!(await isFile(candidate))) continue;
      found.push(candidate);
      break;
    }
  }
  return found;
}

const NAMED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'./][^"']*)["']/g;

/** The packages a module imports by names that are written out in it. */
export function readPackageNames(file: string, text: string): Set<string> {
  if (!EXTENSIONS.includes(extname(file))) return new Set();
  const specifiers = [...text.matchAll(NAMED)].map(([, specifier = ""]) => specifier);
  return new Set(specifiers.flatMap((specifier) => (isBuiltin(specifier) ? [] : (PACKAGE.exec(specifier)?.[1] ?? []))));
}
