import { ANY_EVENT, catalogueNames, nearest, typeName } from "@hooks/core";
import * as z from "zod/mini";
import type { Finding, Path } from "./document.js";

/** What every key of a manifest is for; the JSON Schema for editors carries it. */
export const descriptions = z.registry<{ title?: string; description: string; anyOf?: readonly object[] }>();

function described<S extends z.core.$ZodType>(schema: S, description: string): S {
  descriptions.add(schema, { description });
  return schema;
}

/** Not empty. Left to itself the check looks at whatever has a length, also a table with such a key, and throws. */
function notEmpty() {
  const check = z.minLength(1);
  check._zod.def.when = ({ value }) => typeof value === "string" || Array.isArray(value);
  return check;
}

// A function, because a description belongs to one schema: shared ones would all carry the last one given.
const filled = () => z.string().check(notEmpty());

const event = filled();
descriptions.add(event, {
  description:
    'The event, in its canonical spelling: "PreToolUse", "SessionStart", "custom.deploy", ... "*" for observers only.',
  // The loader says of an unknown event which one was meant; an editor completes and underlines by these.
  anyOf: [
    { type: "string", enum: [...catalogueNames.filter((name) => !name.endsWith(".*")), ANY_EVENT] },
    { type: "string", pattern: "^(custom|meta)\\.[a-z0-9_]+$" },
    { type: "string", pattern: "^OnBudgetThreshold\\(\\s*\\d+(\\.\\d+)?\\s*\\)$" },
  ],
});

const hook = described(
  z.strictObject({
    id: z.optional(
      described(filled(), "A name for messages, the tape and waivers. Unique; made from the handler when absent."),
    ),
    event,
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
        z.array(z.string()).check(notEmpty()),
        "A program and its arguments, without a shell; the payload comes on its standard input.",
      ),
    ),
    env: z.optional(
      described(z.array(filled()), "Environment variables the command gets beside PATH, HOME and the like, by name."),
    ),
    priority: z.optional(
      described(
        z.number().check(z.int()),
        "Lower runs first. 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping. What the package says, or 0, when absent.",
      ),
    ),
    timeout_ms: z.optional(described(z.number().check(z.gt(0)), "How long the handler may take. 5000 when absent.")),
    on_error: z.optional(
      described(
        z.enum(["block", "allow", "raise"]),
        "What a fault of this hook does. Gates block and advisory events go on when absent.",
      ),
    ),
    observes: z.optional(
      described(
        z.boolean(),
        'The handler is told how every dispatch ended and cannot change it. Packages say this of their hooks themselves. Its event may be "*".',
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
    waivable: z.optional(
      described(
        z.boolean(),
        "Of a pack: whether those who extend it may waive this hook for a time. false when absent.",
      ),
    ),
  }),
  "One hook: an event, and what answers it.",
);

const tightening = described(
  z.strictObject({
    hook: described(filled(), "The id of a hook of a pack, or of one that is managed, as `harn list` shows it."),
    options: described(
      z.record(z.string(), z.unknown()),
      "Options to tighten: those the hook's package marks as tunable, in the direction it says.",
    ),
  }),
  "Options of a hook somebody else brought, made stricter.",
);

const waiver = described(
  z.strictObject({
    id: described(filled(), "What the exception is known by: a ticket's number."),
    hook: described(filled(), "The id of the hook that is waived, as `harn list` shows it."),
    reason: described(filled(), "Why the exception is needed."),
    approver: described(filled(), "Who agreed to it."),
    expires: described(filled(), 'The last day it holds, as "2027-01-31".'),
  }),
  "A hook of a pack that is passed over for a time, where the pack permits it. Each use is on the tape.",
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
        managed_only: z.optional(
          described(z.boolean(), "In a managed manifest: hooks that are not managed are ignored. false when absent."),
        ),
        isolation: z.optional(
          described(
            z.enum(["inline", "worker"]),
            "Where handlers run that do not say it themselves. inline when absent.",
          ),
        ),
        env: z.optional(
          described(
            z.array(filled()),
            "Environment variables every executable hook gets beside PATH, HOME and the like, by name.",
          ),
        ),
        registries: z.optional(
          described(
            z.record(z.string(), filled()),
            'Where the packages of a scope must come from: "@acme" = "https://npm.acme.com/". From anywhere else they are refused.',
          ),
        ),
        require_provenance: z.optional(
          described(
            z.array(filled()),
            'Packages that must prove where they were built, by name: "@acme/*". Without a verified attestation they are refused.',
          ),
        ),
      }),
      "Settings of the whole stack.",
    ),
  ),
  sources: z.optional(
    described(
      z.strictObject({
        markdown: z.optional(
          described(z.array(filled()), "Directories of Markdown hooks. .harness/hooks when absent."),
        ),
        settings: z.optional(described(z.array(filled()), "settings.json files with executable hooks.")),
      }),
      "Hooks that are files of their own.",
    ),
  ),
  network: z.optional(
    described(
      z.strictObject({
        allowed_domains: z.optional(
          described(
            z.array(filled()),
            "Hosts that Markdown hooks may ask with http: a host, *. and a domain for its subdomains, or an address.",
          ),
        ),
      }),
      "What hooks may reach.",
    ),
  ),
  hooks: z.optional(described(z.array(hook), "The hooks, each under its own [[hooks]].")),
  tighten: z.optional(described(z.array(tightening), "Options of packs' hooks made stricter, each under [[tighten]].")),
  waivers: z.optional(described(z.array(waiver), "Hooks of packs that are waived, each under [[waivers]].")),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type HookEntry = z.infer<typeof hook>;
export type Waiver = z.infer<typeof waiver>;

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
  const findings = parsed.success ? [] : parsed.error.issues.flatMap((issue) => findingsOf(issue, value));
  return [...findings, ...unreadNames(value)];
}

// zod leaves a key called `__proto__` out of a record, unread.
function unreadNames(value: unknown): Finding[] {
  return ["exports", "dependencies"].flatMap((section) => {
    const table = (value as Record<string, unknown>)[section];
    if (typeof table !== "object" || table === null || !Object.hasOwn(table, "__proto__")) return [];
    return [
      {
        code: "HARN_E_KEY_TYPE" as const,
        path: [section, "__proto__"],
        atKey: true,
        message: `"__proto__" cannot be a name in [${section}]`,
        help: "call it something else",
      },
    ];
  });
}

function findingsOf(issue: z.core.$ZodIssue, root: unknown): Finding[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key]));
  const value = path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key],
    root,
  );
  const name = nameOf(path);
  const [must, example] = expectation(issue, value);
  const help = remedy(path, example);
  if (value === undefined) return [{ code: "HARN_E_KEY_MISSING", path, message: `${name} is missing`, help }];
  const got = must === "must not be empty" ? "" : `, got ${valueText(value)}`;
  return [{ code: "HARN_E_KEY_TYPE", path, message: `${name} ${must}${got}`, help }];
}

const EXAMPLES: Readonly<Record<string, string>> = {
  extends: '["@acme/policy-pack"]',
  exports: '"hooks/policy.ts"',
  dependencies: '"^1.2.0"',
  allowed_domains: '["api.example.com"]',
  env: '["GITHUB_TOKEN"]',
  markdown: '[".harness/hooks"]',
  settings: '["settings.json"]',
  name: '"acme-agent"',
  version: '"1.0.0"',
  harn: '">=0.1 <1"',
  id: '"no-shutdown"',
  event: '"PreToolUse"',
  pattern: '"Bash"',
  when: '\'payload["tool"]["name"] == "Bash"\'',
  handler: '"@hooks/command-guard::guard"',
  priority: "10",
  timeout_ms: "5000",
  command: '["program", "argument"]',
  expires: '"2027-01-31"',
  approver: '"somebody@acme.com"',
  hook: '"@acme/policy-pack/command-guard"',
};

function remedy(path: Path, example: string): string {
  const last = path.at(-1);
  if (path[0] === "hooks" && path.length <= 2) return "write [[hooks]], and the keys of one hook below it";
  if ((path[0] === "tighten" || path[0] === "waivers") && path.length <= 2)
    return `write [[${path[0]}]], and its keys below it`;
  const list = typeof last === "number" ? path.at(-2) : undefined;
  if (list !== undefined) return `write it as ${/"[^"]*"/.exec(exampleOf(String(list)) ?? "")?.[0] ?? example}`;
  // The keys of these two are names of their own.
  const isNamed = path.length === 2 && (path[0] === "exports" || path[0] === "dependencies");
  const key = /^[\w-]+$/.test(String(last)) ? String(last) : JSON.stringify(last);
  return `write ${key} = ${exampleOf(String(isNamed ? path[0] : last)) ?? example}`;
}

function exampleOf(key: string): string | undefined {
  return Object.hasOwn(EXAMPLES, key) ? EXAMPLES[key] : undefined;
}

/** `"priority"`, or `item 2 of "extends"`. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "the manifest";
  return typeof last === "number" ? `item ${last + 1} of "${String(path.at(-2))}"` : `"${String(last)}"`;
}

function valueText(value: unknown): string {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date))
    return "a table";
  return typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "object"
      ? typeName(value)
      : String(value);
}

// Words people bring along from other hook systems.
const ELSEWHERE: Readonly<Record<string, string>> = { matcher: "pattern", timeout: "timeout_ms", script: "handler" };

function unknownKey(path: Path): Finding {
  const key = String(path.at(-1));
  const known = keysAt(path.slice(0, -1));
  const elsewhere = Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : undefined;
  const near = elsewhere !== undefined && known.includes(elsewhere) ? elsewhere : nearest(key, known);
  return {
    code: "HARN_E_KEY_UNKNOWN",
    path,
    atKey: true,
    message: `unknown key "${key}"`,
    hint: near === undefined ? undefined : `did you mean "${near}"?`,
    help: `keys here: ${known.join(", ")}`,
  };
}

/** What a value must be, and one that is. */
function expectation(issue: z.core.$ZodIssue, value: unknown): [must: string, example: string] {
  switch (issue.code) {
    case "invalid_type":
      if (typeof value === "bigint") return [`must be within ±${Number.MAX_SAFE_INTEGER}`, "10"];
      if (typeof value === "number" && issue.expected === "number") return ["must be a finite number", "1000"];
      return EXPECTED[issue.expected] ?? [`must be a ${issue.expected}`, "..."];
    case "invalid_value": {
      const values = issue.values.map((value) => JSON.stringify(value));
      return [`must be ${values.join(" or ")}`, values[0] ?? "..."];
    }
    case "too_small":
      if (issue.origin === "number") return [`must be above ${issue.minimum}`, "1000"];
      return ["must not be empty", issue.origin === "array" ? '["..."]' : '"..."'];
    default:
      return ["is not valid", "..."];
  }
}

const EXPECTED: Readonly<Record<string, [must: string, example: string]>> = {
  int: ["must be a whole number", "10"],
  number: ["must be a number", "1000"],
  string: ["must be a text", '"..."'],
  array: ["must be a list", '["..."]'],
  object: ["must be a table", "{ ... }"],
  record: ["must be a table", "{ ... }"],
  boolean: ["must be true or false", "true"],
};

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
