import { posix, resolve } from "node:path";
import { messageOf, nearest } from "@hooks/core";
import type { Ajv, ValidateFunction } from "ajv";
import { readFile } from "./disk.js";
import type { Finding, Path } from "./document.js";
import { type InstalledPackage, isInside } from "./packages.js";

/** The options a handler will get, or what is wrong with those it was given. */
export type Options = { readonly options: unknown } | { readonly findings: readonly Finding[] };

/** Checks a hook's options against the JSON Schema its package declares, before any code of the package runs. */
export async function checkOptions(
  given: unknown,
  found: InstalledPackage,
  exportName: string,
  path: Path,
): Promise<Options> {
  const read = await readSchema(found, exportName);
  if (read === undefined) return { options: given };
  const { file } = read;
  const refuse = (message: string): Options => ({
    findings: [
      {
        code: "HARN_E_PACKAGE_INVALID",
        path: [...path.slice(0, -1), "handler"],
        message: `package ${found.name}: ${message}`,
        help: `ask its authors, or reinstall ${found.name}`,
      },
    ],
  });
  if ("mistake" in read) return refuse(read.mistake);
  const { schema } = read;
  const checked = await validate(schema, given ?? {});
  if (typeof checked === "string") return refuse(`its options schema ${file} cannot be used: ${checked}`);
  if ("options" in checked) return checked;
  const help = `see the options of ${found.name} in its README, or in ${posix.join(found.name, file)}`;
  const findings = checked.errors.map((error): Finding => {
    const inside = error.instancePath.split("/").slice(1).map(decodePointer);
    const { additionalProperty: unknown, missingProperty: missing } = error.params as Record<
      string,
      string | undefined
    >;
    if (unknown !== undefined) {
      const near = nearest(unknown, propertiesAt(schema, inside));
      const hint = near === undefined ? undefined : `did you mean "${near}"?`;
      const message = `${found.name} has no option "${unknown}"`;
      return { code: "HARN_E_OPTIONS", path: [...path, ...inside, unknown], atKey: true, message, hint, help };
    }
    const at = missing === undefined ? inside : [...inside, missing];
    const message = `${nameOf(at)} of ${found.name} ${missing === undefined ? describe(error) : "is missing"}`;
    return { code: "HARN_E_OPTIONS", path: [...path, ...at], message, help };
  });
  return { findings };
}

/** The options schema a package declares for a hook, or why it cannot be read; undefined when there is none. */
export async function readSchema(
  { root, description }: InstalledPackage,
  exportName: string,
): Promise<({ readonly file: string } & ({ readonly schema: unknown } | { readonly mistake: string })) | undefined> {
  const file = description?.hooks[exportName]?.options;
  if (file === undefined) return undefined;
  const location = resolve(root, file);
  try {
    if (!(await isInside(location, root))) return { file, mistake: `its options schema ${file} lies outside of it` };
    return { file, schema: JSON.parse(await readFile(location, "utf8")) as unknown };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? "does not exist" : `cannot be read: ${messageOf(error)}`;
    return { file, mistake: `its options schema ${file} ${why}` };
  }
}

interface ObjectSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, { readonly tunable?: string; readonly default?: unknown }>>;
}

/** What is wrong with a hook's options schema by itself, and with `given` being what a pack sets of it. */
export async function schemaMistakes(
  found: InstalledPackage,
  exportName: string,
  given: readonly object[],
): Promise<string[]> {
  const read = await readSchema(found, exportName);
  if (read === undefined) return [];
  if ("mistake" in read) return [read.mistake];
  const checked = await validate(read.schema, {});
  if (typeof checked === "string") return [`${read.file} cannot be used: ${checked}`];
  const { properties = {} } = read.schema as ObjectSchema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const isMoved = property.tunable !== undefined && property.tunable !== "on" && property.tunable !== "off";
    const isKnown =
      "default" in property || (given.length > 0 && given.every((options) => Object.hasOwn(options, name)));
    return isMoved && !isKnown ? [`${read.file}: "${name}" is tunable and needs a default`] : [];
  });
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/**
 * The options with the schema's defaults filled in, the errors, or why the schema is none. The validator is strict: a
 * keyword it does not know, such as a misspelt one, would be a rule that silently does nothing.
 */
async function validate(
  schema: unknown,
  given: unknown,
): Promise<{ options: unknown } | { errors: SchemaError[] } | string> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return "it is not an object";
  const options: unknown = structuredClone(given);
  try {
    const check = await validatorOf(schema);
    return check(options) ? { options } : { errors: (check.errors ?? []) as SchemaError[] };
  } catch (error) {
    return messageOf(error);
  }
}

const AJV_OPTIONS = { allErrors: true, useDefaults: true, strict: true, strictRequired: false, logger: false } as const;

// Making a validator compiles the schema of schemas first, which takes longer than all schemas of a policy.
const validators = new Map<string, ValidateFunction>();
let ajv7: Promise<Ajv> | undefined;
let ajv2020: Promise<Ajv> | undefined;

/** Which way those who extend a pack may move an option of its hooks. It restricts nothing by itself. */
export const DIRECTIONS = ["add", "remove", "lower", "raise", "on", "off", "stricter"] as const;

function tunable<A extends Ajv>(ajv: A): A {
  ajv.addKeyword({ keyword: "tunable", metaSchema: { enum: DIRECTIONS } });
  return ajv;
}

async function validatorOf(schema: object): Promise<ValidateFunction> {
  const text = JSON.stringify(schema);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const is2020 = String((schema as { $schema?: unknown }).$schema ?? "").includes("2020-12");
  if (is2020) ajv2020 ??= import("ajv/dist/2020.js").then(({ Ajv2020 }) => tunable(new Ajv2020(AJV_OPTIONS)));
  else ajv7 ??= import("ajv").then(({ Ajv }) => tunable(new Ajv(AJV_OPTIONS)));
  const ajv = (await (is2020 ? ajv2020 : ajv7)) as Ajv;
  try {
    const check = ajv.compile(schema);
    validators.set(text, check);
    return check;
  } finally {
    // Two packages may use one $id for different schemas.
    ajv.removeSchema(schema);
  }
}

/** `options.limits.depth`, or `item 2 of options.deny`. */
function nameOf(path: readonly (string | number)[]): string {
  const last = path.at(-1);
  return typeof last === "number" ? `item ${last + 1} of ${nameOf(path.slice(0, -1))}` : ["options", ...path].join(".");
}

// What a manifest calls the types of JSON Schema.
const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  null: "nothing",
  number: "a number",
  object: "a table",
  string: "a text",
};

function describe({ keyword, message, params }: SchemaError): string {
  switch (keyword) {
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case "type":
      return `must be ${[params.type]
        .flat()
        .map((type) => TYPES[type as string] ?? type)
        .join(" or ")}`;
    case "minItems":
    case "minLength":
      return params.limit === 1 ? "must not be empty" : (message ?? "is too short");
    default:
      return message ?? "is not valid";
  }
}

function decodePointer(part: string): string | number {
  const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(key) ? Number(key) : key;
}

/** The options a JSON Schema knows at a path, as far as plain nested objects go. */
function propertiesAt(schema: unknown, path: readonly (string | number)[]): string[] {
  let here = schema as { properties?: Record<string, unknown> } | undefined;
  for (const key of path) here = here?.properties?.[key] as typeof here;
  return Object.keys(here?.properties ?? {});
}
