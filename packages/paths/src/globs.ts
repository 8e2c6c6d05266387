import { foldPath } from "./names.js";
import { expandBraces, matchesStart } from "./wildcard.js";

export interface GlobOptions {
  /** What relative patterns are relative to; absolute and real. */
  readonly roots: readonly string[];
  readonly home: string;
  /** Whether names that may be the same file on some file system count as the same. */
  readonly isGenerous?: boolean;
}

/** What a list of patterns says of a path: the last one that fits decides. null: none does. */
export type Globs = (path: string) => boolean | null;

interface Compiled {
  readonly isNegated: boolean;
  readonly isAbsolute: boolean;
  readonly parts: readonly string[];
}

/**
 * Compiles patterns as a .gitignore has them: without a slash they fit at any depth, with one from the root on, what
 * they fit includes everything below it, `!` takes it out again. Beyond that `/` begins an absolute path and `~/` one
 * in the home directory, and braces are written out.
 */
export function compileGlobs(patterns: readonly string[], options: GlobOptions): Globs {
  const fold = options.isGenerous === true ? foldPath : (path: string) => path;
  const compiled = patterns.flatMap((pattern) => expandBraces(pattern).map((one) => compile(one, options.home, fold)));
  const roots = options.roots.map((root) => fold(root));
  return (given) => {
    const path = fold(given);
    const whole = componentsOf(path);
    const inside = roots.filter((root) => isInside(path, root)).map((root) => componentsOf(path.slice(root.length)));
    for (let place = compiled.length - 1; place >= 0; place--) {
      const { isAbsolute, isNegated, parts } = compiled[place] as Compiled;
      const isFit = (own: readonly string[]) => parts.length === 0 || matchesStart(parts, own);
      const fits = isAbsolute ? isFit(whole) : inside.some(isFit);
      if (fits) return !isNegated;
    }
    return null;
  };
}

function compile(given: string, home: string, fold: (path: string) => string): Compiled {
  const isNegated = given.startsWith("!");
  const text = isNegated ? given.slice(1) : given.replace(/^\\(?=[!#])/, "");
  if (text.startsWith("~/") || text === "~") {
    return { isNegated, isAbsolute: true, parts: componentsOf(fold(`${home}${text.slice(1)}`)) };
  }
  // Everything, the root itself included.
  if (text === "**") return { isNegated, isAbsolute: false, parts: [] };
  const parts = componentsOf(fold(text.replace(/^\.\//, "")));
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(text)) return { isNegated, isAbsolute: true, parts };
  const isAnchored = text.startsWith("./") || parts.length > 1;
  return { isNegated, isAbsolute: false, parts: isAnchored ? parts : ["**", ...parts] };
}

/** Names between separators; on a path that is absolute and resolved. */
export function componentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** Whether a path is a directory or below it: compared up to a separator, so that /src does not hold /srcs. */
export function isInside(path: string, directory: string): boolean {
  if (directory === "/") return path.startsWith("/");
  return path === directory || path.startsWith(`${directory}/`);
}
