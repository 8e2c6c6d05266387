import type { EventName, Json, JsonObject } from "@hooks/core";
import { type AgentName, type Fields, isObject, type Question, type Reading } from "./agent.js";
import type { CanonicalTool, ToolReading } from "./tools.js";

/** Which session a call belongs to, and what of it is not in the words of Harn. */
export interface Origin {
  readonly session: JsonObject;
  readonly extra: JsonObject;
}

/** The session of agents that name it as Claude Code does, and every field that is only theirs. */
export function originOf(agent: AgentName, input: Fields, known: readonly string[]): Origin {
  const session = compact({
    id: input.optionalText("session_id", "sessionId", "conversation_id") ?? "unknown",
    transcript_path: input.optionalText("transcript_path", "transcriptPath"),
    cwd: input.optionalText("cwd"),
    agent: input.optionalText("agent_type"),
  });
  const rest = Object.entries(input.all).filter(([key]) => !known.includes(key) && !BASE.includes(key));
  return { session, extra: { agent, agent_event: input.event, ...Object.fromEntries(rest) } };
}

const BASE = [
  "session_id",
  "sessionId",
  "transcript_path",
  "transcriptPath",
  "cwd",
  "agent_type",
  "hook_event_name",
  "hookEventName",
];

/** One question, whose payload does not depend on any other. */
export function ask(event: EventName, { session, extra }: Origin, fields: object = {}): Reading {
  return { questions: [question(event, { session, extra }, () => compact(fields))] };
}

function question(
  event: EventName,
  { session, extra }: Origin,
  fields: (args: JsonObject | undefined) => JsonObject,
): Question {
  return { event, payload: (args) => ({ ...fields(args), session, extra }) };
}

/**
 * Before a tool. A subagent is asked about here too: with most agents this is the last moment it can be refused.
 */
export function beforeTool(origin: Origin, reading: ToolReading, startsSubagents = true): Reading {
  const asked = (tool: CanonicalTool, args: JsonObject | undefined) =>
    ({ ...tool, args: args ?? tool.args }) as unknown as JsonObject;
  const questions = reading.tools.flatMap((tool): Question[] => {
    const own = question("PreToolUse", origin, (args) => ({ tool: asked(tool, args) }));
    if (tool.name !== "Agent" || !startsSubagents) return [own];
    const subagent = question("SubagentStart", origin, (args) => subagentOf(args ?? tool.args));
    return [own, subagent];
  });
  return { questions, restore: reading.restore };
}

function subagentOf(args: JsonObject): JsonObject {
  const { subagent_type: name, prompt } = args;
  return compact({
    subagent: { name: typeof name === "string" ? name : "default" },
    prompt: typeof prompt === "string" ? prompt : undefined,
  });
}

/** A result as hooks see it. */
export interface Result {
  readonly text: string;
  readonly value?: Json;
  readonly is_error: boolean;
}

const WRITERS = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/** After a tool: its result, its failure when it failed, and the files it wrote when it did not. */
export function afterTool(origin: Origin, { tools }: ToolReading, result: Result, fields: JsonObject = {}): Reading {
  const questions = tools.flatMap((tool): Question[] => {
    const shown = tool as unknown as JsonObject;
    const payload = () => ({ ...fields, tool: shown, result: result as unknown as JsonObject });
    const asked = [question("PostToolUse", origin, payload)];
    if (result.is_error) return [...asked, question("PostToolUseFailure", origin, payload)];
    const { file_path: path } = tool.args;
    if (!WRITERS.includes(tool.name) || typeof path !== "string") return asked;
    return [...asked, question("FileEdited", origin, () => ({ path, tool: shown }))];
  });
  return { questions };
}

/** The text of a tool's result, whatever shape its agent gave it. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (!isObject(value)) return JSON.stringify(value);
  const { stdout, stderr, text, content, file } = value;
  if (typeof stdout === "string") return [stdout, typeof stderr === "string" ? stderr : ""].filter(Boolean).join("\n");
  if (typeof text === "string") return text;
  if (typeof content === "string" || Array.isArray(content)) return textOf(content);
  return isObject(file) && typeof file.content === "string" ? file.content : JSON.stringify(value);
}

/** What a result that was rewritten says to the model: of one with a structure, what is read of it. */
export function rewrittenText(change: unknown): string | undefined {
  if (!isObject(change)) return undefined;
  const { value, text } = change as JsonObject;
  if (!isObject(value)) return String(text);
  // OpenCode, Gemini CLI, and Copilot CLI in both of its spellings.
  const { output, llmContent, textResultForLlm, text_result_for_llm } = value as JsonObject;
  return textOf(output ?? llmContent ?? textResultForLlm ?? text_result_for_llm ?? (value as JsonObject));
}

/** Without what is undefined: a payload has the key, or it has not. */
export function compact(fields: object): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
