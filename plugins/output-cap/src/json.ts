import type { Json } from "@hooks/core";

/** Parses a text that holds a JSON object or list; undefined for any other text. */
export function parseJson(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(quoteLongNumbers(text)) as Json;
  } catch {
    return undefined;
  }
}

// A number with more digits than a double holds would silently become another one: it is kept as a text.
function quoteLongNumbers(text: string): string {
  if (!/\d{16}/.test(text)) return text;
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || token.replace(/\D/g, "").length < 16 ? token : `"${token}"`,
  );
}

/** Makes a JSON value smaller until it fits, and JSON at every step. */
export function shrinkJson(value: Json, isSmall: (text: string) => boolean, room: number): Json {
  for (let size = room, depth = 64; size >= 1; size = Math.floor(size / 2)) {
    const smaller = shrink(value, { text: size, items: Math.max(1, Math.floor(size / 8)), depth });
    if (isSmall(JSON.stringify(smaller))) return smaller;
    if (size < 64) depth = Math.max(1, depth >> 1);
  }
  return "[dropped: too large]";
}

interface Room {
  readonly text: number;
  readonly items: number;
  readonly depth: number;
}

function shrink(value: Json, room: Room): Json {
  if (typeof value === "string") {
    if (value.length <= room.text) return value;
    const end = /[\uD800-\uDBFF]/.test(value.charAt(room.text - 1)) ? room.text - 1 : room.text;
    return `${value.slice(0, end)} [... ${value.length - end} characters dropped]`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (room.depth === 0) return "[dropped: nested too deeply]";
  const below = { ...room, depth: room.depth - 1 };
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).slice(0, room.items).map((item) => shrink(item, below));
    return value.length > room.items ? [...items, `[... ${value.length - room.items} items dropped]`] : items;
  }
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  const kept = entries.slice(0, room.items).map(([key, item]) => [key, shrink(item, below)] as const);
  if (entries.length > room.items) kept.push(["...", `${entries.length - room.items} keys dropped`]);
  return Object.fromEntries(kept);
}
