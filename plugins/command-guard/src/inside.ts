import { componentsOf, type Piece, type Word } from "@hooks/shell";

/** What a path leads to, as far as its text says. */
export type Place =
  /** `/`, everything in it, or one of the directories a system is made of. */
  | "root"
  | "system"
  /** One of the files in `/etc` that turn a site or a service on. */
  | "configuration"
  | "home"
  /** Something of a person's below the home directory. */
  | "in-home"
  | "parent"
  /** The workspace itself or everything in it. */
  | "workspace"
  | "repository"
  /** A disk that is mounted. */
  | "mount"
  | "temp-root"
  | "temp"
  /** What a build or a package manager makes again. */
  | "build"
  | "inside"
  | "outside"
  /** A variable that may be empty, so that what is left is the root. */
  | "unset"
  | "unknown";

export interface Surroundings {
  readonly workspaces: readonly string[];
  readonly temps: readonly string[];
  readonly builds: ReadonlySet<string>;
  readonly homes: readonly string[];
}

const CACHES =
  /^(\.cache|\.npm|\.yarn|\.pnpm-store|\.gradle\/caches|\.m2\/repository|\.cargo\/(registry|git)|library\/caches|\.local\/share\/trash|\.bun\/install\/cache|go\/pkg|\.nuget\/packages|\.ivy2\/cache|\.node-gyp|appdata\/local\/temp|\.expo|\.deno)(\/|$)/;
/** One component of a path: its name, with patterns as they are written, and whether there are any. */
export interface Name {
  readonly text: string;
  /** Whether it is a pattern and nothing else: `*`, `.*`, `.[!.]*`. */
  readonly isEverything: boolean;
  readonly isPattern: boolean;
  readonly isCertain: boolean;
}

export type Names = readonly Name[];

export function namesOf(path: Word): Name[] {
  return componentsOf(path)
    .filter((component) => component.length > 0)
    .map(nameOf);
}

function nameOf(component: readonly Piece[]): Name {
  const text = component.map((piece) => (piece.kind === "text" || piece.kind === "glob" ? piece.text : "\0")).join("");
  const isPattern = component.some(({ kind }) => kind === "glob");
  return {
    text,
    isPattern,
    isCertain: component.every(({ kind }) => kind === "text"),
    isEverything: isPattern && !/[^.*?[\]!^-]/.test(text.replace(/\[[^\]]*\]/g, "")),
  };
}

export function escapes(names: Names): boolean {
  return names.some(({ text }) => text === "..");
}

export function homePlace(names: Names, around: Surroundings): Place {
  const [first, second] = names;
  if (first === undefined || first.isEverything || first.text === "..") return "home";
  const path = names
    .map(({ text }) => text)
    .join("/")
    .toLowerCase();
  if (CACHES.test(path) && !escapes(names)) return "build";
  if (escapes(names)) return "home";
  if (second !== undefined && names.slice(1).some((one) => isBuild(one, around))) return "build";
  return "in-home";
}

/** Where a path below the workspace leads, seen from the workspace. */
export function insidePlace(names: Names, around: Surroundings): Place {
  const [first] = names;
  if (first === undefined) return "workspace";
  if (first.text === "..") {
    const rest = names.slice(names.findIndex(({ text }) => text !== ".."));
    return escapes(rest) || rest[0] === names[0] || rest.every(({ isEverything }) => isEverything)
      ? "parent"
      : besides(rest, around);
  }
  if (names.every(({ isEverything }) => isEverything)) return "workspace";
  for (const name of names) {
    if (isRepository(name)) return "repository";
    if (isBuild(name, around)) return "build";
  }
  return "inside";
}

function besides(names: Names, around: Surroundings): Place {
  for (const name of names) {
    if (isRepository(name)) return "repository";
    if (isBuild(name, around)) return "build";
  }
  return "outside";
}

/** `.git`, and patterns that match it. */
function isRepository({ text, isPattern }: Name): boolean {
  if (!isPattern) return text.toLowerCase() === ".git";
  if (!text.startsWith(".")) return false;
  const [before = "", after = ""] = [text.split(/[*?[]/)[0], /[^*?\]]*$/.exec(text)?.[0]];
  return ".git".startsWith(before) && ".git".endsWith(after) && (before + after).length <= 4;
}

const BUILD_NAMES = /^(cmake-build-.+|.+\.egg-info|build-.+|dist-.+|.+-build|bazel-.+)$/;

/** What a build or a package manager makes again, by its name. */
export function isBuild({ text }: Name, { builds }: Surroundings): boolean {
  const name = text.toLowerCase();
  return builds.has(name) || BUILD_NAMES.test(name);
}
