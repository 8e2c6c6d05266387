import { defineFunction, defineModule } from "../host.js";
import type { Namespace } from "../values/values.js";
import { indentJson } from "./json-indent.js";
import { JsonReader } from "./json-reader.js";
import { JsonWriter } from "./json-writer.js";

const style = { prefix: "string?", indent: "string?" } as const;

/**
 * `json`: `encode` writes a value with its keys sorted, `decode` reads one, ints exact at any size; `indent` puts the
 * parts of a text on lines of their own, and `encode_indent` is both.
 */
export const json: Namespace = defineModule("json", {
  encode: defineFunction("encode", { x: "any" }, ({ x }, thread) => new JsonWriter(thread).write(x)),
  decode: defineFunction("decode", { x: "string", default: "any?" }, ({ x, default: fallback }, thread) => {
    const reader = new JsonReader(thread, x);
    if (fallback === undefined) return reader.document();
    const value = reader.attempt();
    return value === undefined ? fallback : value;
  }),
  indent: defineFunction("indent", { s: "string", ...style }, ({ s, prefix = "", indent = "\t" }, thread) => {
    new JsonReader(thread, s).document();
    return indentJson(thread, s, prefix, indent);
  }),
  encode_indent: defineFunction("encode_indent", { x: "any", ...style }, ({ x, prefix = "", indent = "\t" }, thread) =>
    indentJson(thread, new JsonWriter(thread).write(x), prefix, indent),
  ),
});
