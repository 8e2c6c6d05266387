import { type Piece, resolvePath, startOf, type Word } from "@hooks/shell";
import { windowsPlace } from "./drive.js";
import {
  escapes,
  homePlace,
  insidePlace,
  isBuild,
  type Name,
  type Names,
  namesOf,
  type Place,
  type Surroundings,
} from "./inside.js";

const SYSTEM = new Set(
  "bin boot dev etc lib lib32 lib64 libx32 opt proc run sbin srv sys usr var system library applications private cores nix".split(
    " ",
  ),
);
/** Parts of it that belong to whoever installed something there. */
const TENDED =
  /^(usr\/local|opt|srv|var\/www|var\/lib\/docker|var\/cache|var\/log|library\/caches|nix\/store|(var\/)?run)\/./;
/** What a package manager fetches again. */
const FETCHED = /^var\/(lib\/apt\/lists|cache\/(apt|apk|dnf|yum|pacman|zypp|debconf|man|fontconfig))(\/|$)/;
/** One file among others that switches one site, job or service on. */
const CONFIGURATION =
  /^etc\/[^/]+\/(sites-enabled|sites-available|conf\.d|conf-enabled|conf-available|mods-enabled|http\.d|vhosts\.d|stream\.d)\/[^/]+$|^etc\/(logrotate|cron|apt\/sources\.list)\.d\/[^/]+$/;
const MOUNTS = /^(mnt|media|volumes)(\/[^/]+)?(\/\*+)?$/;
const TEMP_VARIABLES = new Set(["TMPDIR", "TMP", "TEMP", "RUNNER_TEMP", "XDG_RUNTIME_DIR"]);
const WORKSPACE_VARIABLES = new Set(["PWD", "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "INIT_CWD", "PROJECT_ROOT"]);

/** Says where a path leads. */
export function placeOf(path: Word, cwd: Word, around: Surroundings): Place {
  if (/^[A-Za-z]:/.test(startOf(path))) return windowsPlace(namesOf(path), around);
  const whole = resolvePath(path, cwd);
  const [first] = whole.pieces;
  if (first === undefined) return "inside";
  if (first.kind === "text") {
    if (/^[A-Za-z]:/.test(first.text)) return windowsPlace(namesOf(whole), around);
    // Git Bash and MSYS: /c/Users.
    const names = namesOf(whole);
    if (/^[a-z]$/i.test(names[0]?.text ?? "") && /^(windows|users|program files)/i.test(names[1]?.text ?? ""))
      return windowsPlace([{ ...(names[0] as Name), text: `${names[0]?.text}:` }, ...names.slice(1)], around);
    return absolutePlace(names, around);
  }
  const names = namesOf(whole).slice(1);
  const glued = afterFirst(whole);
  if (first.kind === "variable") return variablePlace(first, names, glued, around);
  if (first.kind === "unknown") return unknownPlace(first, names, glued, around);
  return "inside";
}

/** Whether something stands right behind the first piece, as in `$HOME.bak`. */
function afterFirst({ pieces }: Word): boolean {
  const second = pieces[1];
  return second !== undefined && !(second.kind === "text" && second.text.startsWith("/"));
}

function variablePlace(
  { name, required }: Extract<Piece, { kind: "variable" }>,
  names: Names,
  glued: boolean,
  around: Surroundings,
): Place {
  if (name === "HOME" || name.startsWith("~") || name === "USERPROFILE") {
    return glued ? "in-home" : homePlace(names, around);
  }
  if (WORKSPACE_VARIABLES.has(name)) return glued ? "outside" : insidePlace(names, around);
  const isTemp = TEMP_VARIABLES.has(name);
  if (names.length > 0 && names.every(({ isEverything }) => isEverything) && !required && !glued) return "unset";
  if (isTemp) return escapes(names) ? "outside" : "temp";
  if (escapes(names)) return "unknown";
  if (names.some((one) => isBuild(one, around))) return "build";
  return "unknown";
}

function unknownPlace(
  { from = [] }: Extract<Piece, { kind: "unknown" }>,
  names: Names,
  glued: boolean,
  around: Surroundings,
): Place {
  const [only] = from;
  const words = only?.argv.map(({ text }) => text ?? "") ?? [];
  if (from.length === 1 && only?.program === "mktemp") return escapes(names) ? "outside" : "temp";
  if (
    from.length === 1 &&
    only?.program === "git" &&
    /^--(git-dir|git-common-dir|absolute-git-dir)$/.test(words[2] ?? "")
  )
    return "repository";
  if (from.length === 1 && only?.program === "git" && words.includes("--show-toplevel") && !glued) {
    return insidePlace(names, around);
  }
  if (names.length > 0 && names.every(({ isEverything }) => isEverything) && !glued) return "unset";
  return names.length > 0 && !escapes(names) && isBuild(names[names.length - 1] as Name, around) ? "build" : "unknown";
}

function absolutePlace(given: Names, around: Surroundings): Place {
  const names =
    /^(self|thread-self|\d+|\*)$/.test(given[1]?.text ?? "") && given[0]?.text === "proc" && given[2]?.text === "root"
      ? given.slice(3)
      : given;
  const [first] = names;
  if (first === undefined) return "root";
  const path = names
    .map(({ text }) => text)
    .join("/")
    .toLowerCase();
  const sacred = sacredPlace(names, around);
  if (sacred !== null) return sacred;
  const own = workspacePlace(names, around);
  if (own !== null) return own;
  for (const temp of around.temps) {
    const base = temp.toLowerCase().replace(/^\/+|\/+$/g, "");
    // `find /tmp` goes through everything there, also what others put there.
    if (path === base || path === `${base}/**`) return "temp-root";
    if (path.startsWith(`${base}/`)) return escapes(names) ? "outside" : "temp";
  }
  if (first.isPattern) return "root";
  if (first.text === "root" || around.homes.some((home) => isAt(path, home))) {
    const depth =
      first.text === "root"
        ? 1
        : (around.homes.find((home) => isAt(path, home)) ?? "").split("/").filter(Boolean).length;
    return homePlace(names.slice(depth), around);
  }
  if (/^(home|users)$/i.test(first.text)) {
    return names.length === 1 || names[1]?.isEverything ? "root" : homePlace(names.slice(2), around);
  }
  if (MOUNTS.test(path)) return "mount";
  if (SYSTEM.has(first.text.toLowerCase())) {
    if (names.length === 1) return "root";
    if (FETCHED.test(path)) return "build";
    if (CONFIGURATION.test(path) && !names.some(({ isPattern }) => isPattern)) return "configuration";
    return TENDED.test(path) ? "outside" : "system";
  }
  return names.length > 2 && names.slice(2).some((one) => isBuild(one, around)) ? "build" : "outside";
}

/** The directories a machine is made of, and homes: no option makes them a workspace or a temporary directory. */
function sacredPlace(names: Names, { homes }: Surroundings): Place | null {
  const rest = names[names.length - 1]?.isEverything ? names.slice(0, -1) : names;
  const path = `/${rest.map(({ text }) => text).join("/")}`.toLowerCase();
  if (rest.length === 0) return "root";
  if (rest.length === 1 && names.length === 1 && (SYSTEM.has(path.slice(1)) || /^\/(home|users)$/.test(path)))
    return "root";
  if (/^\/(root|home\/[^/]+|users\/[^/]+)$/.test(path) && !rest.some(({ isPattern }) => isPattern)) return "home";
  return homes.some((home) => path === home.toLowerCase().replace(/\/+$/, "")) ? "home" : null;
}

function isAt(path: string, home: string): boolean {
  const base = home.toLowerCase().replace(/^\/+|\/+$/g, "");
  return base !== "" && (path === base || path.startsWith(`${base}/`));
}

/** Where a path lies as seen from the workspaces; null where it has nothing to do with them. */
function workspacePlace(names: Names, around: Surroundings): Place | null {
  for (const workspace of around.workspaces) {
    const base = workspace.split("/").filter((part) => part !== "");
    if (base.length === 0) continue;
    const same = base.findIndex((part, index) => names[index]?.text !== part);
    if (same === -1) return insidePlace(names.slice(base.length), around);
    // An ancestor of the workspace that is neither the root nor a home is still a parent.
    if (same === names.length && names.length > 2) return "parent";
  }
  return null;
}
