import type { Json, JsonObject } from "./json.js";

const TEXTS: ReadonlySet<string> = new Set(
  "text content output_text reasoning reasoning_content reasoning_text thinking refusal".split(" "),
);

/**
 * A model's response with every text changed that somebody reads, whatever the provider's shape is. Tool calls stay as
 * they are: one with half of its arguments would be another call. Nothing changed: the same object.
 */
export function mapResponseTexts<T extends Json>(response: T, change: (text: string) => string): T {
  return mapTexts(response, change, "") as T;
}

function mapTexts(value: Json, change: (text: string) => string, key: string): Json {
  if (typeof value === "string") return TEXTS.has(key) ? change(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => mapTexts(item, change, key));
    return items.every((item, place) => item === value[place]) ? value : items;
  }
  const object = value as JsonObject;
  if (isToolCall(object)) return value;
  const entries = Object.entries(object).map(([name, item]): [string, Json | undefined] => {
    return [name, name === "tool_calls" || item === undefined ? item : mapTexts(item, change, name)];
  });
  return entries.every(([name, item]) => item === object[name]) ? value : (Object.fromEntries(entries) as JsonObject);
}

function isToolCall({ type }: JsonObject): boolean {
  return typeof type === "string" && /tool_use|tool_call|function/.test(type);
}
