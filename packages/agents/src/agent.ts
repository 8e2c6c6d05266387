import type { EventName, Json, JsonObject, PermissionDecision, Verdict } from "@hooks/core";

export const agentNames = ["claude", "codex", "gemini", "copilot", "opencode", "cursor"] as const;

/** An agent Harn can answer. */
export type AgentName = (typeof agentNames)[number];

/** What one of an agent's events lets an answer do. */
export type Ability = "block" | "ask" | "modify" | "decide" | "remind" | "stop";

/** One question to the stack. A later question about the same tool call is made from what earlier ones left of it. */
export interface Question {
  readonly event: EventName;
  payload(args: JsonObject | undefined): JsonObject;
}

/** What an agent asked, in Harn's words. */
export interface Reading {
  readonly questions: readonly Question[];
  /** Rewritten arguments in the agent's own shape; null when its shape cannot hold them. */
  restore?(args: JsonObject): JsonObject | null;
}

/** What the stack said to one call of an agent, fitted to what the agent can express. */
export interface Ruling {
  readonly verdict: Verdict;
  /** Why, for whoever reads a block or an ask: the model, or the person. */
  readonly reason: string;
  /** The answer to a permission question; undefined: the agent goes on as it would have. */
  readonly decision: PermissionDecision | undefined;
  /** What replaces the arguments (in the agent's shape), the prompt, or the text of the result. */
  readonly change: Json | undefined;
  /** What the model is to be told beside the answer. */
  readonly context: string | undefined;
  /** Why the agent is to stop after this; undefined: it is not. */
  readonly stop: string | undefined;
  /** What could not be said the way it was meant, and what became of it. */
  readonly notes: readonly string[];
}

/** One event of an agent. */
export interface NativeEvent {
  /** What it is called in Harn; null: Harn has no such event, and every answer is neutral. */
  readonly event: EventName | null;
  readonly can: readonly Ability[];
  /** What a block ends with. 2 wherever the agent takes it for a veto; 0 where only its JSON can say it. */
  readonly veto?: 0 | 2;
  read(input: Fields): Reading;
  /** The agent's JSON, with no field it does not take; undefined where there is nothing to say. */
  write(ruling: Ruling, input: Fields): JsonObject | undefined;
}

/** How an agent is told to call Harn. */
export interface Installation {
  /** The file at project level, from the root of the project. */
  readonly project: string;
  /** The file at user level, in the agent's own directory below the home directory, or where one of the variables says. */
  readonly user: {
    readonly directory: string;
    readonly moved: readonly (readonly [variable: string, below: string])[];
    readonly file: string;
  };
  /** Whether the file is Harn's alone; otherwise entries are merged into it. */
  readonly isOwn: boolean;
  /** The events that are installed: seconds the agent waits, and whether it is too frequent to install unasked. */
  readonly events: Readonly<Record<string, { readonly seconds: number; readonly isCostly?: true }>>;
  /** The entry of one event, as it stands in the list `hooks.<event>`; absent where `file` writes everything. */
  entry?(event: string, command: string, seconds: number): JsonObject;
  /** The whole file, where it is Harn's alone. */
  file?(commands: Readonly<Record<string, string>>): string;
  /** What the file must have beside the entries. */
  readonly head?: JsonObject;
}

/** Everything Harn knows of one agent. */
export interface Agent {
  readonly name: AgentName;
  readonly title: string;
  /** Its events by its own names. */
  readonly events: Readonly<Record<string, NativeEvent>>;
  /** The event whose veto answers what cannot be read at all. */
  readonly gate: string;
  /** What is printed when there is nothing to say: some agents read standard error, or fail closed, on silence. */
  readonly silence: "" | "{}";
  /** The environment variable with the directory of the project, which an agent's `cd` does not change. */
  readonly projectVariable?: string;
  /** The event's own name for it, from what came in; undefined when it does not say. */
  nameOf(input: JsonObject): string | undefined;
  readonly install: Installation;
  /** What this agent will not show Harn, or can take away, in one line each. */
  readonly gaps: readonly string[];
}

/** What an agent's process gets back. */
export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: 0 | 2;
}

/** What came in, read field by field. What is not there, or of another type, is an error and never a guess. */
export class Fields {
  constructor(
    readonly all: JsonObject,
    /** The event as the agent calls it. */
    readonly event: string,
  ) {}

  text(...keys: string[]): string {
    const found = this.optionalText(...keys);
    if (found === undefined) throw new BadInput(`"${keys[0]}" is missing`);
    return found;
  }

  optionalText(...keys: string[]): string | undefined {
    const value = this.get(keys);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw new BadInput(`"${keys[0]}" must be a text`);
    return value;
  }

  object(...keys: string[]): JsonObject {
    const value = this.get(keys);
    if (!isObject(value))
      throw new BadInput(`"${keys[0]}" ${value === undefined ? "is missing" : "must be an object"}`);
    return value;
  }

  get(keys: readonly string[]): Json | undefined {
    const key = keys.find((name) => Object.hasOwn(this.all, name));
    return key === undefined ? undefined : this.all[key];
  }
}

/** What an agent sent is not what it is known to send. */
export class BadInput extends Error {}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
