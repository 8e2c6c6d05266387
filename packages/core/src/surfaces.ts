import { capText } from "./cap.js";
import { checkConfig, checkValue, type Kind } from "./config.js";
import { type Dialect, namesOf } from "./dialect.js";
import { type CallbackEvent, type CallbackInput, type CallbackOutput, callback } from "./dialects/callback.js";
import { harn } from "./dialects/harn.js";
import { type Effect, NEUTRAL } from "./effect.js";
import { badPattern, HarnError, messageOf, unknownEvent } from "./errors.js";
import { type EventName, type Payload, rowOf } from "./events.js";
import { compileGlob } from "./glob.js";
import { type Handler, type HookInit, type HookOptions, type MaybePromise, nameOf } from "./hook.js";
import { globMistake } from "./impossible.js";
import type { JsonObject } from "./json.js";
import type { Pattern } from "./pattern.js";

/** Hooks around tool calls. */
export interface ToolHookConfig extends HookOptions {
  /** Which tools; all of them when absent. */
  readonly pattern?: string;
  /** Refuses every call the pattern matches, for this reason. */
  readonly deny?: string;
  /** Bounds the result's text to this many UTF-16 units, the marker included. */
  readonly max_output?: number;
  /** Runs before the tool. */
  readonly pre?: Handler<"PreToolUse">;
  /** Runs after the tool. */
  readonly post?: Handler<"PostToolUse">;
}

const PERSONA_EVENTS = [
  "PreStep",
  "PostStep",
  "OnApprovalRequested",
  "OnHandoffEmitted",
  "OnPersonaPaused",
  "OnPersonaResumed",
  "OnBudgetThreshold",
] as const;

/** The events persona and step hooks observe. */
export type PersonaEvent = (typeof PERSONA_EVENTS)[number];

/** A persona event as it is registered: a budget threshold may carry its percentage. */
export type PersonaEventName = PersonaEvent | `OnBudgetThreshold(${number})`;

/** The canonical name of a persona event. */
export type PersonaEventOf<N extends PersonaEventName> = N extends PersonaEvent ? N : "OnBudgetThreshold";

const SESSION_EVENTS = [
  "session_start",
  "session_end",
  "user_prompt_submit",
  "pre_compact",
  "post_compact",
  "post_turn",
  "permission_asked",
  "permission_replied",
  "file_edited",
  "session_error",
  "session_idle",
  "pre_finish",
  "on_unsettled_detected",
  "post_finish",
] as const;

type Pascal<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Capitalize<Head>}${Pascal<Rest>}`
  : Capitalize<Name>;

type SnakeName = (typeof SESSION_EVENTS)[number];

/** A session event, in either spelling. */
export type SessionEventName = SnakeName | Pascal<SnakeName>;

/** The canonical name of a session event. */
export type SessionEventOf<N extends SessionEventName> = Pascal<N> & EventName;

/** One hook of an in-process callback array. */
export type CallbackHook = {
  [N in CallbackEvent]: HookOptions & {
    readonly event: N;
    /** Which tools, or which subjects of another event. */
    readonly matcher?: string;
    // biome-ignore lint/suspicious/noConfusingVoidType: a handler may end without a return statement
    readonly handler: (input: CallbackInput<N>) => MaybePromise<CallbackOutput<N> | undefined | void>;
  };
}[CallbackEvent];

const OPTION_KEYS = {
  id: "reason",
  priority: "integer",
  timeout_ms: "duration",
  on_error: "on_error",
} as const satisfies Record<keyof HookOptions, Kind>;

const TOOL_KEYS = {
  ...OPTION_KEYS,
  pattern: "text",
  deny: "reason",
  max_output: "count",
  pre: "function",
  post: "function",
} as const satisfies Record<keyof ToolHookConfig, Kind>;

const CALLBACK_KEYS = { ...OPTION_KEYS, event: "text", matcher: "text", handler: "function" } as const;

// The built-in denial and the built-in cap say what they mean: there is nothing to parse.
const native: Dialect = { ...harn, parse: (returned) => (returned as Effect | undefined) ?? NEUTRAL };

/** Each way of registering hooks: checks what it was given and says which hooks that makes. */
export const surfaces = {
  tool(config: ToolHookConfig): HookInit[] {
    const surface = "tool hook";
    checkConfig(surface, config, TOOL_KEYS);
    const { pattern = "*", deny, max_output, pre, post, ...options } = config;
    const named = (kind: string) => ({ ...options, pattern, handlerName: `tool_hook::${pattern}::${kind}` });
    const inits: HookInit[] = [];
    if (deny !== undefined) {
      const effect: Effect = { verdict: "block", reason: deny };
      inits.push({ ...named("deny"), event: "PreToolUse", dialect: native, handler: () => effect });
    }
    if (pre !== undefined) inits.push({ ...named("pre"), event: "PreToolUse", handler: pre });
    if (post !== undefined) inits.push({ ...named("post"), event: "PostToolUse", handler: post });
    // Last, so that what the closure makes of a result is bounded too.
    if (max_output !== undefined) {
      const handler = (payload: Payload<"PostToolUse">) => capResult(payload, max_output);
      inits.push({ ...named("max_output"), event: "PostToolUse", dialect: native, handler });
    }
    if (inits.length === 0) {
      throw new HarnError(
        "HARN_E_KEY_TYPE",
        `${surface} for ${JSON.stringify(pattern)} does nothing`,
        "Give it deny, max_output, pre or post.",
      );
    }
    return inits;
  },

  persona(persona: string, event: string, handler: Handler<never>, options: HookOptions = {}): HookInit {
    return personaHook("persona hook", persona, null, event, handler, options);
  },

  step(persona: string, step: string, event: string, handler: Handler<never>, options: HookOptions = {}): HookInit {
    checkValue("step hook", "step_name", step, "reason");
    return personaHook("step hook", persona, step, event, handler, options);
  },

  session(event: string, handler: Handler<never>, options: HookOptions = {}): HookInit {
    const surface = "session hook";
    checkConfig(surface, options, OPTION_KEYS);
    checkValue(surface, "handler", handler, "function");
    const canonical = typeof event === "string" ? sessionEvents.get(event.trim()) : undefined;
    if (canonical === undefined) throw wrongEvent(surface, event, SESSION_EVENTS);
    return { ...options, event: canonical, handler, handlerName: `session_hook::${canonical}` };
  },

  callbacks(definitions: readonly CallbackHook[]): HookInit[] {
    const surface = "callback hook";
    if (!Array.isArray(definitions)) throw new HarnError("HARN_E_KEY_TYPE", `${surface}s must be a list`);
    return definitions.map((definition: CallbackHook) => {
      checkConfig(surface, definition, CALLBACK_KEYS, ["event", "handler"]);
      const { event, matcher, handler, ...options } = definition;
      const resolved = callback.resolve(event);
      if (resolved === undefined) throw wrongEvent(surface, event, namesOf(callback));
      const handlerName = nameOf(handler) ?? `callback::${event}`;
      return { ...options, ...resolved, pattern: matcher, handler, handlerName, dialect: callback };
    });
  },
};

const sessionEvents: ReadonlyMap<string, EventName> = new Map([
  ...SESSION_EVENTS.flatMap((name): [string, EventName][] => {
    const event = pascal(name) as EventName;
    return [
      [name, event],
      [event, event],
    ];
  }),
  ["error", "SessionError"],
]);

function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function personaHook(
  surface: string,
  persona: string,
  step: string | null,
  event: string,
  handler: Handler<never>,
  options: HookOptions,
): HookInit {
  checkValue(surface, "persona_pattern", persona, "text");
  checkConfig(surface, options, OPTION_KEYS);
  checkValue(surface, "handler", handler, "function");
  const resolved = typeof event === "string" ? harn.resolve(event.trim()) : undefined;
  if (resolved === undefined || !(PERSONA_EVENTS as readonly string[]).includes(resolved.event)) {
    throw wrongEvent(surface, event, [...PERSONA_EVENTS, "OnBudgetThreshold(<pct>)"]);
  }
  const target = step === null ? persona : `${persona}.${step}`;
  return {
    ...options,
    ...resolved,
    handler,
    handlerName: `${surface.replace(" ", "_")}::${target}::${resolved.event}`,
    matches: personaPattern(persona, step),
  };
}

function personaPattern(persona: string, step: string | null): Pattern {
  const matchesPersona = personaGlob(persona.trim());
  return {
    source: step === null ? persona : `${persona}.${step}`,
    payload: (payload) =>
      matchesPersona(String(payload.persona)) &&
      (step === null || (payload.step as JsonObject | undefined)?.name === step),
  };
}

function personaGlob(glob: string): (persona: string) => boolean {
  if (glob === "" || glob === "*") return () => true;
  const mistake = globMistake(glob, "given");
  if (mistake !== undefined) throw badPattern(glob, mistake.why, mistake.help);
  try {
    return compileGlob(glob, "name");
  } catch (error) {
    throw badPattern(glob, messageOf(error));
  }
}

function wrongEvent(surface: string, event: unknown, valid: readonly string[]): HarnError {
  const isElsewhere = typeof event === "string" && rowOf(event.trim()) !== undefined;
  return unknownEvent(
    surface,
    event,
    valid,
    isElsewhere ? "Harn has this event, but not on this surface: use register()." : undefined,
  );
}

/** `max_output`: the text is cut, and a structured value that would still hold all of it goes with it. */
function capResult({ result }: Payload<"PostToolUse">, max: number): Effect | undefined {
  const capped = capText(result.text, max);
  if (capped.dropped === 0) return undefined;
  return {
    verdict: "allow",
    change: { value: { text: capped.text, is_error: result.is_error }, dropped: capped.dropped },
  };
}
