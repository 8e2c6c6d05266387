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

const LEAST_ROOM = 300;

/**
 * Cuts the longest texts of a JSON value until it fits, and leaves everything else as it is, so that it has the shape its
 * reader knows; undefined when the texts are not what is too much.
 */
export function cutTexts(
  value: Json,
  cut: (text: string, room: number) => string,
  isSmall: (text: string) => boolean,
): Json | undefined {
  let longest = 0;
  mapTexts(value, (text) => {
    longest = Math.max(longest, text.length);
    return text;
  });
  for (let room = longest; room >= LEAST_ROOM; room = Math.floor(room * 0.7)) {
    const smaller = mapTexts(value, (text) => (text.length > room ? cut(text, room) : text));
    if (isSmall(JSON.stringify(smaller))) return smaller;
  }
  return undefined;
}

const MOST_LEVELS = 64;

function mapTexts(value: Json, change: (text: string) => string, level = 0): Json {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null || level > MOST_LEVELS) return value;
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change, level + 1));
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapTexts(item, change, level + 1)]));
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
