import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, nearest } from "@hooks/core";
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
  const file = found.description?.hooks[exportName]?.options;
  if (file === undefined) return { options: given };
  const refuse = (message: string): Options => ({
    findings: [
      {
        code: "HARN_E_PACKAGE_INVALID",
        path: path.slice(0, -1),
        message: `package ${found.name}: ${message}`,
        help: `ask its authors, or reinstall ${found.name}`,
      },
    ],
  });
  const location = resolve(found.root, file);
  let schema: unknown;
  try {
    if (!(await isInside(location, found.root))) return refuse(`its options schema ${file} lies outside of it`);
    schema = JSON.parse(await readFile(location, "utf8"));
  } catch (error) {
    return refuse(`its options schema ${file} cannot be read: ${messageOf(error)}`);
  }
  // The full zod knows JSON Schema; it is loaded only where a hook has a schema.
  const { fromJSONSchema } = await import("zod");
  let parsed: ReturnType<ReturnType<typeof fromJSONSchema>["safeParse"]>;
  try {
    parsed = fromJSONSchema(schema as never).safeParse(given ?? {});
  } catch (error) {
    return refuse(`its options schema ${file} cannot be used: ${messageOf(error)}`);
  }
  if (parsed.success) return { options: parsed.data };
  const help = `see the options of ${found.name} in its README, or in ${file}`;
  return {
    findings: parsed.error.issues.flatMap((issue): Finding[] => {
      const at = [...path, ...(issue.path as Path)];
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((key) => {
          const near = nearest(key, propertiesAt(schema, issue.path));
          const hint = near === undefined ? undefined : `did you mean "${near}"?`;
          const message = `${found.name} has no option "${key}"`;
          return { code: "HARN_E_OPTIONS", path: [...at, key], atKey: true, message, hint, help };
        });
      }
      const where = issue.path.length === 0 ? "options" : `options.${issue.path.join(".")}`;
      const isMissing = issue.path.length > 0 && valueAt(given, issue.path) === undefined;
      const message = isMissing
        ? `${where} of ${found.name} is missing`
        : `${where} of ${found.name}: ${issue.message}`;
      return [{ code: "HARN_E_OPTIONS", path: at, message, help }];
    }),
  };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

/** The options a JSON Schema knows at a path, as far as plain nested objects go. */
function propertiesAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const at = valueAt(
    schema,
    path.flatMap((key) => ["properties", key]),
  ) as { properties?: object } | undefined;
  return Object.keys(at?.properties ?? {});
}
