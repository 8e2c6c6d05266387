import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Something that comes out of an archive. */
export interface Member {
  readonly name: string;
  /** Where it leads when it is a link: from where it stands, or from the top when it is a hard one. */
  readonly target: string | null;
  readonly isHard: boolean;
}

const LARGEST = 32_000_000;
const LARGEST_UNPACKED = 128_000_000;
const MOST_MEMBERS = 2_000;

/** What is in an archive that is there now: of tar, plain or with gzip, and of zip. null where nobody can say, or it is too much. */
export function membersOf(path: string): readonly Member[] | null {
  try {
    const bytes = contentOf(path);
    if (bytes === null) return null;
    if (bytes.length > 2 && bytes[0] === 0x1f && bytes[1] === 0x8b)
      return tarMembers(gunzipSync(bytes, { maxOutputLength: LARGEST_UNPACKED }));
    return bytes.subarray(0, 2).toString("latin1") === "PK" ? zipMembers(bytes) : tarMembers(bytes);
  } catch {
    // Not an archive, damaged, or larger than is worth looking at: nobody can say.
    return null;
  }
}

function contentOf(path: string): Buffer | null {
  const file = openSync(path, "r");
  try {
    const found = fstatSync(file);
    return found.isFile() && found.size <= LARGEST ? readFileSync(file) : null;
  } finally {
    closeSync(file);
  }
}

const BLOCK = 512;

function tarMembers(bytes: Buffer): readonly Member[] | null {
  const members: Member[] = [];
  let longName: string | null = null;
  let longTarget: string | null = null;
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header[0] === 0) break;
    if (textAt(header, 257, 5) !== "ustar" && !isChecked(header)) return null;
    const size = Number.parseInt(textAt(header, 124, 12).trim() || "0", 8);
    if (!(size >= 0)) return null;
    const type = String.fromCharCode(header[156] ?? 0);
    const body = bytes.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "L") longName = textAt(body, 0, body.length);
    else if (type === "K") longTarget = textAt(body, 0, body.length);
    else if (type === "x") {
      const pax = body.toString("utf8");
      longName = /^\d+ path=(.*)$/m.exec(pax)?.[1] ?? longName;
      longTarget = /^\d+ linkpath=(.*)$/m.exec(pax)?.[1] ?? longTarget;
    } else if (type !== "g") {
      const prefix = textAt(header, 257, 6) === "ustar" && textAt(header, 345, 155);
      const name = longName ?? `${prefix ? `${prefix}/` : ""}${textAt(header, 0, 100)}`;
      const isLink = type === "1" || type === "2";
      members.push({ name, target: isLink ? (longTarget ?? textAt(header, 157, 100)) : null, isHard: type === "1" });
      longName = null;
      longTarget = null;
      if (members.length > MOST_MEMBERS) return null;
    }
  }
  return members;
}

function textAt(bytes: Buffer, from: number, length: number): string {
  const part = bytes.subarray(from, from + length);
  const end = part.indexOf(0);
  return part.subarray(0, end === -1 ? part.length : end).toString("utf8");
}

/** Whether the sum in a header is that of the header: archives older than `ustar` have no other sign. */
function isChecked(header: Buffer): boolean {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0);
  return sum === Number.parseInt(textAt(header, 148, 8).trim(), 8);
}

/** The names of the directory at the end of a zip. */
function zipMembers(bytes: Buffer): readonly Member[] | null {
  const end = bytes.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end === -1) return null;
  const count = bytes.readUInt16LE(end + 10);
  if (count > MOST_MEMBERS) return null;
  const members: Member[] = [];
  for (let at = bytes.readUInt32LE(end + 16), place = 0; place < count; place++) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) return null;
    const length = bytes.readUInt16LE(at + 28);
    members.push({ name: bytes.toString("utf8", at + 46, at + 46 + length), target: null, isHard: false });
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return members;
}
