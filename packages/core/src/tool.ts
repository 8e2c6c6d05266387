import { HarnError, messageOf, typeName } from "./errors.js";
import type { Payload } from "./events.js";
import { copyJson, isJsonObject, type Json, type JsonObject } from "./json.js";
import type { Session } from "./session.js";

/**
 * A schema that can judge a value: the common interface of zod, Valibot, ArkType and others ("Standard Schema"),
 * as far as a tool needs it.
 */
export interface Schema<Output = unknown> {
  readonly "~standard": {
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    // The schema's own types come by this key, which holds nothing at run time.
    readonly types?: { readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown> };
  };
}

type Checked<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a tool made: a text, nothing, or a text with a structured value and whether it failed. */
export type ToolReturn = string | undefined | ToolOutput;

/** A result whose parts a tool names itself. */
export interface ToolOutput {
  readonly text: string;
  readonly value?: Json | undefined;
  readonly is_error?: boolean;
}

/** The result of a tool, as hooks and the model see it. */
export type ToolResult = Payload<"PostToolUse">["result"];

/** What a tool gets beside its arguments. */
export interface ToolContext {
  readonly call_id: string;
  /** Aborted when the session is. */
  readonly signal: AbortSignal;
  /** The session it runs in, to delegate, to note what is unsettled, or to switch the model. */
  readonly session: Session;
  /** Reports that this call wrote a file. */
  fileEdited(path: string, details?: { readonly is_new?: boolean; readonly metadata?: JsonObject }): void;
}

/** Something the model can ask for. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** What its arguments have to be; also judges what a hook rewrote them to. Absent: any object. */
  readonly input?: Schema;
  /** JSON Schema for the model, where `input` cannot tell it itself. */
  readonly input_schema?: JsonObject;
  readonly run: (args: never, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
}

/** A tool whose arguments have a type. */
export interface ToolDefinition<Args> extends Tool {
  readonly input?: Schema<Args>;
  readonly run: (args: Args, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
}

/**
 * Types a tool by the schema of its arguments.
 *
 * @example
 * defineTool({ name: "add", input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => String(a + b) });
 */
export function defineTool<Args = JsonObject>(tool: ToolDefinition<Args>): ToolDefinition<Args> {
  return tool;
}

/** Finds the tools of a run by their names; two of one name are a mistake nobody should have to find. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const index = new Map(tools.map((tool) => [tool.name, tool]));
  if (index.size === tools.length) return index;
  const twice = tools.find((tool, place) => tools.findIndex(({ name }) => name === tool.name) !== place);
  throw new HarnError("HARN_E_KEY_TYPE", `tools: two are named "${twice?.name}"`, "Give each tool a name of its own.");
}

/** A tool as the model is told of it. */
export function describeTool({ name, description = "", input, input_schema }: Tool) {
  const derived = input?.["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  const schema = input_schema ?? (derived as JsonObject | undefined) ?? { type: "object" };
  return { name, description, input_schema: schema };
}

/** Holds arguments against a tool's schema: what the tool would get, or what is wrong with them. */
export async function checkArgs(
  tool: Tool,
  args: JsonObject,
): Promise<{ readonly args: unknown } | { readonly problem: string }> {
  if (tool.input === undefined) return { args };
  const checked = await tool.input["~standard"].validate(args);
  return checked.issues === undefined ? { args: checked.value } : { problem: checked.issues.map(describe).join("; ") };
}

function describe({ message, path = [] }: SchemaIssue): string {
  const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}

/** The arguments hooks are shown: as the schema understood them, unless that is no longer JSON. */
export function shownArgs(understood: unknown, asked: JsonObject): JsonObject {
  try {
    return copyJson(understood) as JsonObject;
  } catch {
    return asked;
  }
}

/** A tool's return value as a result; what an event has no room for is found when that is fired. */
export function resultOfTool(returned: ToolReturn): ToolResult {
  if (returned === undefined) return { text: "", is_error: false };
  if (typeof returned === "string") return { text: returned, is_error: false };
  if (!isJsonObject(returned))
    return failure(`a text, an object with a text, or nothing was expected, got ${typeName(returned)}`);
  const { text, value, is_error = false } = returned as ToolOutput;
  return { text, is_error, ...(value === undefined ? {} : { value }) };
}

/** A failure as the model and the hooks see it. */
export function failure(error: unknown): ToolResult {
  return { text: typeof error === "string" ? error : messageOf(error), is_error: true };
}
