import type { Mount } from "./analysis.js";
import type { GivenOption } from "./options.js";
import { dropStart, type Piece, startOf, type Word, wordOf } from "./word.js";

/** Where a container's command starts and what of this machine it may change, by `-w`, `-v` and `--mount`. */
export function placesOf(options: readonly GivenOption[]): {
  readonly cwd: Word | null;
  readonly mounts: readonly Mount[];
} {
  const cwd = options.findLast(({ name }) => name === "-w" || name === "--workdir")?.value ?? null;
  const mounts = options.flatMap(({ name, value }): Mount[] => {
    if (value === null) return [];
    if (name === "-v" || name === "--volume") return volumeOf(value);
    return name === "--mount" ? bindOf(value) : [];
  });
  return { cwd, mounts };
}

/** `HOST:GUEST`, and `HOST:GUEST:ro`, in which nothing can be changed. */
function volumeOf(value: Word): Mount[] {
  const last = value.pieces[value.pieces.length - 1];
  const match = last?.kind === "text" ? /:(\/[^:]*)(?::([^:]*))?$/.exec(last.text) : null;
  if (last?.kind !== "text" || match === null || /(^|,)ro(,|$)/.test(match[2] ?? "")) return [];
  const text = last.text.slice(0, match.index);
  const host = wordOf([...value.pieces.slice(0, -1), ...(text === "" ? [] : [{ kind: "text" as const, text }])]);
  // A name without a slash or a drive is a volume of docker's own.
  return host.text !== null && !/[/\\]|^\.$|^[A-Za-z]:/.test(host.text) ? [] : [{ host, guest: match[1] ?? "/" }];
}

/** `type=bind,source=HOST,target=GUEST`. */
function bindOf(value: Word): Mount[] {
  const fields: Piece[][] = [[]];
  for (const piece of value.pieces) {
    if (piece.kind !== "text") fields[fields.length - 1]?.push(piece);
    else
      for (const [index, text] of piece.text.split(",").entries()) {
        if (index > 0) fields.push([]);
        if (text !== "") fields[fields.length - 1]?.push({ kind: "text", text });
      }
  }
  const words = fields.map((pieces) => wordOf(pieces));
  const fieldOf = (names: RegExp) => {
    const found = words.find((word) => names.test(startOf(word)));
    return found === undefined ? undefined : dropStart(found, startOf(found).indexOf("=") + 1);
  };
  const host = fieldOf(/^(source|src)=/);
  const guest = fieldOf(/^(target|dst|destination)=/)?.text;
  if (host === undefined || guest == null || words.some(({ text }) => /^(readonly|ro)(=true|$)/.test(text ?? "")))
    return [];
  return [{ host, guest }];
}
