import type { Change, EventName, HonoursOf } from "./events.js";
import type { Json } from "./json.js";
import type { Reminder, ReminderSpec } from "./reminder.js";

export type Verdict = "allow" | "ask" | "block";

/** What a hook says to a permission question. */
export type PermissionDecision = "allow" | "deny" | "ask";

/** What one hook did, whatever dialect it spoke. */
export interface Effect {
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly decision?: PermissionDecision;
  /** The new value of the one path the event lets a hook modify. */
  readonly change?: { readonly value: Json; readonly dropped?: number };
  readonly reminders?: readonly Reminder[];
  /** The agent should stop after this. */
  readonly stop?: { readonly reason?: string };
  /** What the dialect accepted but a person should hear of. */
  readonly warnings?: readonly string[];
  /** What an executable had to say to the person. */
  readonly stderr?: string;
}

/** The effect of a hook that has nothing to say. */
export const NEUTRAL: Effect = Object.freeze({ verdict: "allow" });

/** The word for an effect on the tape. */
export type EffectResult = Verdict | "modify" | "stop" | "observed" | `decision_${PermissionDecision}`;

export function resultOf(effect: Effect): EffectResult {
  if (effect.decision !== undefined) return `decision_${effect.decision}`;
  if (effect.verdict !== "allow") return effect.verdict;
  if (effect.change !== undefined) return "modify";
  return effect.stop === undefined ? "allow" : "stop";
}

// What the constructors return is plain data with one tag, so that it crosses a worker's border unharmed.
export interface Allow {
  readonly effect: "allow";
}
export interface Block {
  readonly effect: "block";
  readonly reason: string;
}
export interface Ask {
  readonly effect: "ask";
  readonly reason: string;
}
export interface Modify<C = unknown> {
  readonly effect: "modify";
  readonly change: C;
}
export interface Remind<Then = undefined> {
  readonly effect: "remind";
  readonly reminder: ReminderSpec;
  readonly then?: Then;
}
export interface Stop<Then = undefined> {
  readonly effect: "stop";
  readonly reason?: string;
  readonly then?: Then;
}

/** Nothing to object to. */
export function allow(): Allow {
  return { effect: "allow" };
}

/** Refuse, and say why: the reason reaches the agent. */
export function block(reason: string): Block {
  return { effect: "block", reason };
}

/** Let a person decide. */
export function ask(reason: string): Ask {
  return { effect: "ask", reason };
}

/** Rewrite what the event lets a hook rewrite: `modify({ args })` on PreToolUse, `modify({ result })` on PostToolUse. */
export function modify<const C extends Record<string, unknown>>(change: C): Modify<C> {
  return { effect: "modify", change };
}

/** Put a text in front of the model's next turn, then do `then`. */
export function remind<Then = undefined>(reminder: ReminderSpec, then?: Then): Remind<Then> {
  return { effect: "remind", reminder, ...(then === undefined ? {} : { then }) } as Remind<Then>;
}

/** Stop the agent's loop after this tool call, and do `then`. */
export function stop<Then = undefined>(reason?: string, then?: Then): Stop<Then> {
  return {
    effect: "stop",
    ...(reason === undefined ? {} : { reason }),
    ...(then === undefined ? {} : { then }),
  } as Stop<Then>;
}

type If<E extends EventName, H extends HonoursOf<EventName>, Shape> = H extends HonoursOf<E> ? Shape : never;

type Control<E extends EventName> =
  | undefined
  | null
  | true
  | Allow
  | If<E, "block", false | Block | { readonly block: boolean; readonly reason?: string } | { readonly deny: string }>
  | If<E, "decision", { readonly decision: PermissionDecision; readonly reason?: string }>
  | If<E, "modify", Change<E> | Modify<Change<E>>>
  | If<E, "ask", Ask>
  | If<E, "stop", Stop | Stop<Control<E>>>
  | (E extends "PostToolUse" | "PostToolUseFailure" ? string : never)
  | If<
      E,
      "remind",
      Remind | Remind<Control<E>> | ReminderSpec | { readonly reminder: ReminderSpec; readonly then?: Control<E> }
    >;

/** What a handler of this event may return. A verdict the event does not honour does not compile. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement is a handler that allows
export type HookReturn<E extends EventName> = void | Control<E> | readonly { readonly reminder: ReminderSpec }[];
