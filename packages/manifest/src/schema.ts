import { nearest, typeName } from "@hooks/core";
import * as z from "zod/mini";
import type { Finding, Path } from "./document.js";

/** What every key of a manifest is for; the JSON Schema for editors carries it. */
export const descriptions = z.registry<{ title?: string; description: string }>();

function described<S extends z.core.$ZodType>(schema: S, description: string): S {
  descriptions.add(schema, { description });
  return schema;
}

// A function, because a description belongs to one schema: shared ones would all carry the last one given.
const filled = () => z.string().check(z.minLength(1));

const hook = described(
  z.strictObject({
    id: z.optional(
      described(filled(), "A name for messages, the tape and waivers. Unique; made from the handler when absent."),
    ),
    event: described(
      filled(),
      'The event, in its canonical spelling: "PreToolUse", "SessionStart", "custom.deploy", ...',
    ),
    pattern: z.optional(
      described(
        z.string(),
        'Which subjects: a glob ("Bash", "mcp__*", "{Write,Edit}"), `path =~ "regex"`, `path == value`, `path != value`, or a payload path that must be truthy. All of them when absent.',
      ),
    ),
    when: z.optional(
      described(filled(), "One Starlark expression over `payload` and `event`; the hook runs when it is true."),
    ),
    handler: z.optional(
      described(
        filled(),
        "The function that runs, as module::export: an [exports] key, this package's own name, or an npm package.",
      ),
    ),
    command: z.optional(
      described(
        z.array(z.string()).check(z.minLength(1)),
        "A program and its arguments, without a shell; the payload comes on its standard input.",
      ),
    ),
    priority: z.optional(
      described(
        z.number().check(z.int()),
        "Lower runs first. 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping. 0 when absent.",
      ),
    ),
    timeout_ms: z.optional(described(z.number().check(z.gt(0)), "How long the handler may take. 5000 when absent.")),
    on_error: z.optional(
      described(
        z.enum(["block", "allow", "raise"]),
        "What a fault of this hook does. Gates block and advisory events go on when absent.",
      ),
    ),
    isolation: z.optional(
      described(
        z.enum(["inline", "worker"]),
        "Where the handler runs: in this process, or in a worker that is ended when it loops. A seat belt, not a sandbox.",
      ),
    ),
    options: z.optional(
      described(
        z.record(z.string(), z.unknown()),
        "What the handler gets as its options; checked against the package's schema.",
      ),
    ),
  }),
  "One hook: an event, and what answers it.",
);

/** harn.toml. */
export const manifestSchema = z.strictObject({
  extends: z.optional(described(z.array(filled()), "Policy packs this manifest builds on, in order.")),
  package: z.optional(
    described(
      z.strictObject({
        name: described(filled(), "The name others, and this manifest's own handlers, call it by."),
        version: z.optional(described(filled(), "Its version.")),
        description: z.optional(described(z.string(), "What it is, in one line.")),
        harn: z.optional(described(filled(), "Which versions of the runtime it works with, as a semver range.")),
      }),
      "What this package is; needed to publish it.",
    ),
  ),
  exports: z.optional(
    described(
      z.record(z.string(), filled()),
      "Modules of this project that handlers may name: a name, and a file relative to this one.",
    ),
  ),
  dependencies: z.optional(
    described(
      z.record(z.string(), filled()),
      "Hook packages and packs, each with the semver range that must be installed.",
    ),
  ),
  policy: z.optional(
    described(
      z.strictObject({
        strict: z.optional(
          described(
            z.boolean(),
            "Makes the faults that Markdown and settings hooks pass over fail closed too. false when absent.",
          ),
        ),
        isolation: z.optional(
          described(
            z.enum(["inline", "worker"]),
            "Where handlers run that do not say it themselves. inline when absent.",
          ),
        ),
      }),
      "Settings of the whole stack.",
    ),
  ),
  sources: z.optional(
    described(
      z.strictObject({
        markdown: z.optional(described(z.array(filled()), "Directories of Markdown hooks.")),
        settings: z.optional(described(z.array(filled()), "settings.json files with executable hooks.")),
      }),
      "Hooks that are files of their own.",
    ),
  ),
  hooks: z.optional(described(z.array(hook), "The hooks, each under its own [[hooks]].")),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type HookEntry = z.infer<typeof hook>;

/** The JSON Schema editors read. */
export function toJsonSchema(): object {
  return {
    ...z.toJSONSchema(manifestSchema, { target: "draft-7", metadata: descriptions }),
    $id: "harn.schema.json",
    title: "harn.toml",
  };
}

/** Checks the shape of a manifest; nothing found means `value` is one. */
export function checkShape(value: unknown): Finding[] {
  const parsed = z.safeParse(manifestSchema, value);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => findingsOf(issue, value));
}

function findingsOf(issue: z.core.$ZodIssue, root: unknown): Finding[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key]));
  const value = path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key],
    root,
  );
  const key = path.filter((part) => typeof part === "string").at(-1) ?? "the manifest";
  if (value === undefined) {
    return [
      { code: "HARN_E_KEY_MISSING", path, message: `"${key}" is missing`, help: `Add ${key} = ${exampleOf(issue)}.` },
    ];
  }
  const expected = expectedBy(issue);
  return [{ code: "HARN_E_KEY_TYPE", path, message: `"${key}" must be ${expected}, got ${typeName(value)}` }];
}

function unknownKey(path: Path): Finding {
  const key = String(path.at(-1));
  const known = keysAt(path.slice(0, -1));
  const near = nearest(key, known);
  return {
    code: "HARN_E_KEY_UNKNOWN",
    path,
    atKey: true,
    message: `unknown key "${key}"`,
    hint: near === undefined ? undefined : `did you mean "${near}"?`,
    help: `keys here: ${known.join(", ")}`,
  };
}

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return EXPECTED[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_small":
      return issue.origin === "number" ? `above ${issue.minimum}` : "not empty";
    default:
      return "something else";
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: "a whole number",
  string: "a text",
  array: "a list",
  object: "a table",
  record: "a table",
  boolean: "true or false",
};

function exampleOf(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" && issue.expected === "string" ? '"..."' : "...";
}

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
}

/** The keys the schema knows at a path. */
function keysAt(path: Path): string[] {
  let schema: z.core.$ZodType | undefined = manifestSchema;
  for (const part of path) {
    const definition = unwrap(schema);
    schema = typeof part === "number" ? definition?.element : definition?.shape?.[part];
  }
  return Object.keys(unwrap(schema)?.shape ?? {});
}

function unwrap(schema: z.core.$ZodType | undefined): Definition | undefined {
  const definition = schema?._zod.def as Definition | undefined;
  return definition?.type === "optional" ? unwrap(definition.innerType) : definition;
}
