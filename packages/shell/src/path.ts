import { type Piece, startOf, unknownWord, type Word, wordOf } from "./word.js";

const UNCLEAN = /\/\/|\/\.\.?(\/|$)|\/$/;

/** Whether a path does not depend on the working directory; what begins with something unknown may be anywhere. */
export function isAbsolute(path: Word): boolean {
  const [first] = path.pieces;
  if (first === undefined) return false;
  if (first.kind === "text") return first.text.startsWith("/");
  return first.kind === "variable" || first.kind === "unknown";
}

/**
 * A path as seen from the root, with `.` and `..` taken out as far as its text is certain. Links are not followed: this
 * is what the text says, not what a disk holds.
 */
export function resolvePath(path: Word, cwd: Word): Word {
  if (isAbsolute(path)) return normalise(path.pieces);
  if (path.pieces.length === 0) return cwd;
  // A working directory is normal already, unless it is the root.
  if (path.text !== null && !UNCLEAN.test(`/${path.text}`) && !startOf(cwd).endsWith("/"))
    return wordOf([...cwd.pieces, { kind: "text", text: `/${path.text}` }]);
  return normalise([...cwd.pieces, { kind: "text", text: "/" }, ...path.pieces]);
}

/** The components of a path, each a list of pieces. */
export function componentsOf(path: Word): Piece[][] {
  return splitComponents(path.pieces);
}

/** No file has a longer path. */
const LONGEST_PATH = 8_192;

function normalise(pieces: readonly Piece[]): Word {
  if (pieces.some((piece) => piece.kind === "text" && piece.text.length > LONGEST_PATH))
    return unknownWord("a path too long");
  if (pieces.length === 1 && pieces[0]?.kind === "text" && !UNCLEAN.test(pieces[0].text)) return wordOf(pieces);
  const rooted = pieces[0]?.kind === "text" && pieces[0].text.startsWith("/");
  const kept: Piece[][] = [];
  for (const component of splitComponents(pieces)) {
    const name = nameOf(component);
    if (name === "" || name === ".") continue;
    if (name === ".." && kept.length === 0 && rooted) continue;
    if (
      name === ".." &&
      kept.length > 0 &&
      nameOf(kept[kept.length - 1]) !== null &&
      nameOf(kept[kept.length - 1]) !== ".."
    ) {
      kept.pop();
    } else kept.push(component);
  }
  const joined: Piece[] = rooted ? [{ kind: "text", text: "/" }] : [];
  for (const [index, component] of kept.entries()) {
    if (index > 0) joined.push({ kind: "text", text: "/" });
    joined.push(...component);
  }
  return wordOf(joined);
}

function splitComponents(pieces: readonly Piece[]): Piece[][] {
  const components: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind !== "text") components[components.length - 1]?.push(piece);
    else {
      for (const [index, text] of piece.text.split("/").entries()) {
        if (index > 0) components.push([]);
        if (text !== "") components[components.length - 1]?.push({ kind: "text", text });
      }
    }
  }
  return components;
}

/** The name of a component that is certain, null for one that is not. */
function nameOf(component: readonly Piece[] | undefined): string | null {
  if (component === undefined || component.length === 0) return "";
  return component.length === 1 && component[0]?.kind === "text" ? component[0].text : null;
}
