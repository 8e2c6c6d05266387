import { nearest, typeName } from "@hooks/core";
import type { Finding, Path } from "./document.js";
import type { Place, Problem } from "./problem.js";

export type Table = Readonly<Record<string, unknown>>;

/** Where in a file something is. */
export type Spot = Omit<Place, "file">;

/** A file that knows where its values stand. */
export interface Located {
  /** Where a value is, or its key; what is missing is shown at the nearest thing around it that is there. */
  locate(path: Path, atKey?: boolean): Spot;
}

/** What a field must be: a test, its words, and a value that passes. */
export interface Field<T> {
  readonly isRight: (value: unknown) => value is T;
  readonly expected: string;
  readonly example: string;
}

/** What is wrong with one file of hooks, everything at its place. */
export class Report {
  readonly problems: Problem[] = [];

  constructor(
    readonly file: string,
    private readonly document: Located,
    /** Whether a key nobody reads is an error. */
    readonly isStrict: boolean,
    /** How this kind of file gives a key its value. */
    private readonly assign: (key: string, value: string) => string,
  ) {}

  get errors(): number {
    return this.problems.filter(({ severity }) => severity === "error").length;
  }

  add(finding: Finding): void {
    const { code, message, severity = "error", hint, help } = finding;
    this.problems.push({
      code,
      severity,
      message,
      place: this.placeOf(finding),
      ...(hint === undefined ? {} : { hint }),
      ...(help === undefined ? {} : { help }),
    });
  }

  placeOf({ path, atKey = false }: Pick<Finding, "path" | "atKey">): Place {
    return { file: this.file, ...this.document.locate(path, atKey) };
  }

  /** The value of a field that may be absent; one of the wrong kind is reported and left out. */
  field<T>(table: Table, path: Path, key: string, { isRight, expected, example }: Field<T>): T | undefined {
    const value = table[key];
    if (value === undefined || value === null) return undefined;
    if (isRight(value)) return value;
    this.add({
      code: "HARN_E_KEY_TYPE",
      path: [...path, key],
      message: `"${key}" must be ${expected}, got ${valueText(value)}`,
      help: `write ${this.assign(key, example)}`,
    });
    return undefined;
  }

  unknownKeys(table: Table, path: Path, known: readonly string[], helps: Readonly<Record<string, string>> = {}): void {
    for (const key of Object.keys(table)) {
      if (!known.includes(key))
        this.unknownKey([...path, key], known, Object.hasOwn(helps, key) ? helps[key] : undefined);
    }
  }

  /** Others may read the file too, so a key nobody reads here is an error only where strictness is asked for. */
  unknownKey(path: Path, known: readonly string[], help?: string): void {
    const key = String(path.at(-1));
    const near = help === undefined ? nearest(key, known) : undefined;
    this.add({
      code: this.isStrict ? "HARN_E_KEY_UNKNOWN" : "HARN_W_KEY_UNKNOWN",
      severity: this.isStrict ? "error" : "warning",
      path,
      atKey: true,
      message: `unknown key "${key}"`,
      hint: near === undefined ? undefined : `did you mean "${near}"?`,
      help: help ?? `keys here: ${known.join(", ")}`,
    });
  }
}

/** A value as a message can show it. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" ? typeName(value) : String(value);
}

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export const isText = (value: unknown): value is string => typeof value === "string";

export const isDuration = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value > 0;
