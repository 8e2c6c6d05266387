import { StarlarkConversionError } from "./errors.js";
import type { Thread } from "./evaluator/thread.js";
import { UNITS } from "./values/allocation.js";
import { Dict, Elems, Float, isInt, List, Range, StarSet, Tuple, typeName, type Value } from "./values/values.js";

/** What JSON can say. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

const MAX_DEPTH = 100;
/** Lists that share parts are written out as often as they are shared: without a run that pays, this many values at most. */
const MAX_VALUES = 10_000_000;

export interface FromJsonOptions {
  /** Makes the value unchangeable, so that many calls may share it. */
  readonly frozen?: boolean;
  /** The run that pays for it. */
  readonly thread?: Thread;
}

/**
 * A Starlark value from JSON-like data: whole safe numbers and bigints become ints, other numbers floats, objects dicts
 * in the order of their keys. A key whose value is undefined is left out.
 */
export function fromJson(json: Json, options: FromJsonOptions = {}): Value {
  return new Importer(options.frozen ?? false, options.thread).value(json, 0);
}

class Importer {
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly frozen: boolean,
    private readonly thread: Thread | undefined,
  ) {}

  value(json: unknown, depth: number): Value {
    switch (typeof json) {
      case "string":
        this.thread?.text(json.length);
        return json;
      case "boolean":
        return json;
      case "number":
        return Number.isSafeInteger(json) ? (json === 0 ? 0 : json) : this.float(json);
      case "bigint": {
        const small = Number(json);
        return Number.isSafeInteger(small) ? small : json;
      }
      case "object":
        if (json === null) return null;
        if (depth >= (this.thread?.maxNesting ?? MAX_DEPTH)) return this.tooDeep();
        return Array.isArray(json) ? this.list(json, depth) : this.dict(json, depth);
      default:
        return this.fail(`a ${typeof json} is not JSON`);
    }
  }

  private float(value: number): Value {
    this.thread?.allocate(UNITS.float);
    return Number.isFinite(value) ? new Float(value) : this.fail(`${value} is not JSON`);
  }

  private list(json: readonly unknown[], depth: number): List {
    this.thread?.charge(json.length, UNITS.list + 8 * json.length);
    const items: Value[] = [];
    for (let i = 0; i < json.length; i++) {
      this.path.push(i);
      items.push(this.value(json[i], depth + 1));
      this.path.pop();
    }
    const list = new List(items);
    list.isFrozen = this.frozen;
    return list;
  }

  private dict(json: object, depth: number): Dict {
    const prototype: unknown = Object.getPrototypeOf(json);
    if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      return this.fail("an object with a class of its own is not JSON");
    }
    this.thread?.allocate(UNITS.dict);
    const dict = new Dict();
    for (const key of Object.keys(json)) {
      const item: unknown = (json as Readonly<Record<string, unknown>>)[key];
      if (item === undefined) continue;
      this.thread?.charge(1, 48 + 2 * key.length);
      this.path.push(key);
      dict.putText(key, this.value(item, depth + 1));
      this.path.pop();
    }
    dict.isFrozen = this.frozen;
    return dict;
  }

  private tooDeep(): never {
    return this.thread === undefined ? this.fail("nested too deeply, or inside itself") : this.thread.tooDeep();
  }

  private fail(message: string): never {
    throw new StarlarkConversionError(message, pathText(this.path));
  }
}

export interface ToJsonOptions {
  /** The run that pays for it, and whose error a failure becomes. */
  readonly thread?: Thread;
}

/**
 * JSON-like data from a Starlark value: whatever can be iterated over and is no dict becomes an array. What JSON cannot say is refused with the place
 * where it is: functions, modules, bytes, dict keys that are no strings, floats that are not finite, ints that
 * no JavaScript number is equal to, and values inside themselves.
 */
export function toJson(value: Value, options: ToJsonOptions = {}): Json {
  return new Exporter(options.thread).json(value, 0);
}

class Exporter {
  private readonly path: (string | number)[] = [];
  private values = 0;

  constructor(private readonly thread: Thread | undefined) {}

  json(value: Value, depth: number): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (isInt(value)) {
      const number = Number(value);
      const isExact = typeof value === "number" || (Number.isFinite(number) && BigInt(number) === value);
      return isExact ? number : this.fail("the int is too large to be an exact number");
    }
    if (value instanceof Float) {
      return Number.isFinite(value.value) ? value.value : this.fail("a float that is not finite is not JSON");
    }
    if (depth >= (this.thread?.maxNesting ?? MAX_DEPTH)) this.fail("nested too deeply, or inside itself");
    if (value instanceof List || value instanceof Tuple || value instanceof Elems)
      return this.array(value.items, depth);
    if (value instanceof StarSet) return this.array([...value.entries.values()], depth);
    if (value instanceof Range) return this.range(value);
    if (value instanceof Dict) return this.object(value, depth);
    return this.fail(`a ${typeName(value)} is not JSON`);
  }

  private count(values: number): void {
    this.thread?.charge(values, 16 * values);
    this.values += values;
    if (this.values > MAX_VALUES) this.fail(`there are more than ${MAX_VALUES} values`);
  }

  private array(items: readonly Value[], depth: number): Json[] {
    this.count(items.length);
    return items.map((item, i) => {
      this.path.push(i);
      const json = this.json(item, depth + 1);
      this.path.pop();
      return json;
    });
  }

  private range(range: Range): Json[] {
    this.count(range.length);
    return Array.from({ length: range.length }, (_, i) => range.at(i));
  }

  private object(dict: Dict, depth: number): Json {
    this.count(dict.entries.size);
    const object: Record<string, Json> = {};
    for (const [key, item] of dict.entries.values()) {
      if (typeof key !== "string") return this.fail(`a dict with a ${typeName(key)} as key is not JSON`);
      this.path.push(key);
      const json = this.json(item, depth + 1);
      this.path.pop();
      // As a plain assignment this one key would set the prototype.
      if (key === "__proto__") {
        Object.defineProperty(object, key, { value: json, enumerable: true, configurable: true, writable: true });
      } else object[key] = json;
    }
    return object;
  }

  private fail(message: string): never {
    const path = pathText(this.path);
    if (this.thread !== undefined) return this.thread.fail(`${path}: ${message}`);
    throw new StarlarkConversionError(message, path);
  }
}

function pathText(path: readonly (string | number)[]): string {
  const parts = path.map((part) =>
    typeof part === "number" ? `[${part}]` : /^\w+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`,
  );
  return `$${parts.join("")}`;
}
