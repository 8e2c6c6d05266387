import {
  callback,
  catalogue,
  catalogueNames,
  type Dialect,
  type EventSpec,
  harn,
  isGate,
  markdown,
  settings,
} from "@hooks/core";

const DIALECTS: readonly (readonly [title: string, dialect: Dialect])[] = [
  ["harn", harn],
  ["Markdown", markdown],
  ["settings", settings],
  ["callback", callback],
];

/** The fields every payload has; the page says them once. */
const COMMON = ["event", "session", "extra"];

/** docs/events.md, from the catalogue. */
export function renderEventsPage(): string {
  return `${[intro(), overview(), ...catalogueNames.map(section)].join("\n\n")}\n`;
}

function intro(): string {
  return `# Events

Generated from the catalogue in \`packages/core/src/events.ts\`. Do not edit it by hand; regenerate it with
\`npx vitest run test/house/events.test.ts -u\`.

A **gate** honours a veto: a hook that blocks stops what is about to happen. The rest are **advisory**: a veto there is
recorded and changes nothing. A **fault** is a hook that throws, times out or returns what its event does not allow; its
\`on_error\` says what that means, and each event has a default. A glob **pattern** is matched against the subject.

\`custom.<name>\` is an event of your own: any name of a-z, 0-9 and _, fired by the host, with any JSON as \`data\`.
\`meta.<name>\` speaks of the agent's own set-up: something is registered or called at run time.
\`OnBudgetThreshold(80)\` in place of \`OnBudgetThreshold\` waits for that percentage.

The columns harn, Markdown, settings and callback are its names in the four kinds of hooks: in \`harn.toml\` and in code,
in [Markdown hooks](markdown-hooks.md), in [settings files](executables.md#settings-files), and in arrays of callbacks. Where
one is empty, hooks of that kind have no such event.

Every payload has these fields; \`?\` marks what may be absent.

${fieldTable(catalogue.SessionStart, (key) => COMMON.includes(key))}`;
}

function overview(): string {
  const rows = catalogueNames.map((name) => {
    const spec: EventSpec = catalogue[name];
    const names = DIALECTS.map(([, dialect]) => code(dialect.names[name]));
    return [`[${name}](#${anchor(name)})`, isGate(spec) ? "gate" : "advisory", spec.honours.join(", "), ...names];
  });
  return table(["event", "kind", "honours", ...DIALECTS.map(([title]) => title)], rows);
}

function section(name: (typeof catalogueNames)[number]): string {
  const spec: EventSpec = catalogue[name];
  const names = DIALECTS.map(([title, dialect]) => `${title} ${code(dialect.names[name]) || "none"}`);
  return `## ${name}

${spec.summary}

- ${isGate(spec) ? "Gate" : "Advisory"}; honours ${spec.honours.join(", ")}.
- A fault: ${spec.fault}.
- Pattern subject: ${spec.subject === null ? "none" : `\`${spec.subject}\``}.
- A hook may rewrite: ${spec.modifies === null ? "nothing" : `\`${spec.modifies}\``}.
- Names: ${names.join("; ")}.

${fieldTable(spec, (key) => !COMMON.includes(key))}`;
}

function fieldTable(spec: EventSpec, isShown: (key: string) => boolean): string {
  const fields = Object.entries(definitionOf(spec.payload).shape ?? {})
    .filter(([key]) => isShown(key))
    .flatMap(([key, schema]) => fieldsOf(key, schema));
  if (fields.length === 0) return "No fields of its own.";
  return table(
    ["field", "type"],
    fields.map(([path, type]) => [`\`${path}\``, type]),
  );
}

/** As much of a schema as the page needs to know. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly innerType?: unknown;
  readonly element?: unknown;
  readonly entries?: Readonly<Record<string, string>>;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly format?: string } } }[];
  readonly fn?: (value: unknown) => boolean;
}

function definitionOf(schema: unknown): Definition {
  return (schema as { readonly _zod: { readonly def: Definition } })._zod.def;
}

function fieldsOf(path: string, schema: unknown): [path: string, type: string][] {
  const definition = definitionOf(schema);
  if (definition.type === "optional") {
    const [[, type] = ["", ""], ...rest] = fieldsOf(path, definition.innerType);
    return [[`${path}?`, type], ...rest];
  }
  const inner = definition.type === "array" ? definitionOf(definition.element) : definition;
  const prefix = definition.type === "array" ? `${path}[]` : path;
  const children = Object.entries(inner.shape ?? {}).flatMap(([key, child]) => fieldsOf(`${prefix}.${key}`, child));
  return [[path, typeOf(definition)], ...children];
}

function typeOf(definition: Definition): string {
  switch (definition.type) {
    case "object":
      return "object";
    case "array":
      return `list of ${typeOf(definitionOf(definition.element))}`;
    case "enum":
      return Object.values(definition.entries ?? {})
        .map((value) => `\`"${value}"\``)
        .join(" or ");
    case "number":
      return definition.checks?.some((check) => check._zod.def.format === "safeint") ? "whole number" : "number";
    case "custom":
      // The catalogue has two kinds of free JSON; the one for objects turns a number down.
      return definition.fn?.(1) === true ? "any JSON" : "object, any keys";
    case "string":
    case "boolean":
      return definition.type;
    default:
      throw new Error(`events-page.ts has no word for the schema type "${definition.type}"`);
  }
}

/** A table with its columns lined up, as the formatter wants it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(" ");
}

function anchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_-]/g, "");
}
