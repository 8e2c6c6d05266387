import type { Thread } from "./thread.js";
import { Bytes, Dict, Float, isInt, List, Namespace, Range, StarSet, Tuple, type Value } from "./values.js";

/** str(): a string is itself, everything else its representation. */
export function toText(thread: Thread, value: Value): string {
  return typeof value === "string" ? value : repr(thread, value);
}

/** repr(): what a value looks like in a program. A value inside itself is shown as dots. */
export function repr(thread: Thread, value: Value): string {
  const text = represent(thread, value, []);
  thread.allocate(text.length * 2);
  return text;
}

function represent(thread: Thread, value: Value, inside: readonly Value[]): string {
  thread.step();
  if (typeof value === "string") return quote(value);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (isInt(value)) return String(value);
  if (value instanceof Float) return formatFloat(value.value);
  if (value instanceof Bytes) return `b${quoteBytes(value.data)}`;
  if (value instanceof Range) {
    const { start, stop, step } = value;
    return step === 1 ? `range(${start}, ${stop})` : `range(${start}, ${stop}, ${step})`;
  }
  if (value instanceof Namespace) return `<module ${value.name}>`;
  if (value instanceof List || value instanceof Tuple || value instanceof Dict || value instanceof StarSet) {
    return container(thread, value, inside);
  }
  return value.isBuiltin ? `<built-in function ${value.name}>` : `<function ${value.name}>`;
}

function container(thread: Thread, value: List | Tuple | Dict | StarSet, inside: readonly Value[]): string {
  if (inside.includes(value)) return value instanceof List ? "[...]" : value instanceof Dict ? "{...}" : "(...)";
  if (inside.length > thread.maxNesting) thread.tooDeep();
  const within = [...inside, value];
  const parts = (items: Iterable<Value>) => {
    const texts: string[] = [];
    for (const item of items) {
      const text = represent(thread, item, within);
      thread.allocate(text.length * 2);
      texts.push(text);
    }
    return texts.join(", ");
  };
  if (value instanceof List) return `[${parts(value.items)}]`;
  if (value instanceof Tuple) return value.items.length === 1 ? `(${parts(value.items)},)` : `(${parts(value.items)})`;
  if (value instanceof StarSet) return value.entries.size === 0 ? "set()" : `set([${parts(value.entries.values())}])`;
  const entries: string[] = [];
  for (const [key, item] of value.entries.values()) {
    const text = `${represent(thread, key, within)}: ${represent(thread, item, within)}`;
    thread.allocate(text.length * 2);
    entries.push(text);
  }
  return `{${entries.join(", ")}}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** A string as a literal, in double quotes. */
export function quote(text: string): string {
  const escaped = text.replace(/[\p{Cc}\p{Cs}\\"]/gu, (character) => {
    const code = character.charCodeAt(0);
    const unicode =
      code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
    return ESCAPES[character] ?? unicode;
  });
  return `"${escaped}"`;
}

function quoteBytes(data: Uint8Array): string {
  let text = "";
  for (const byte of data) {
    const character = String.fromCharCode(byte);
    text +=
      ESCAPES[character] ?? (byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, "0")}`);
  }
  return `"${text}"`;
}

/** A float as Go prints it: the shortest text that reads back the same, and always recognisable as a float. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "+inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const real = Number(power);
  if (real < -4 || real >= 17 || exponent > 17)
    return `${digits}e${real < 0 ? "-" : "+"}${String(Math.abs(real)).padStart(2, "0")}`;
  const plain = String(value);
  return /[.e]/.test(plain) ? plain : `${plain}.0`;
}
