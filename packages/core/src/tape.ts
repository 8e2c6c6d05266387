import type { EffectResult, PermissionDecision, Verdict } from "./effect.js";
import type { ErrorCode } from "./errors.js";
import type { OnError } from "./events.js";
import type { MaybePromise } from "./hook.js";
import type { Json } from "./json.js";
import type { Reminder } from "./reminder.js";

/** Who a record speaks of. */
export interface HookRef {
  readonly id: string;
  /** The name of what runs: `@hooks/command-guard::guard`, `tool_hook::exec_*::pre`, `command_guard`. */
  readonly handler: string;
  readonly package?: string;
  readonly version?: string;
}

interface Base {
  /** Milliseconds of the harness's clock. */
  readonly at: number;
  readonly session: string;
  /** Which dispatch of this harness the record belongs to. */
  readonly dispatch: number;
  readonly event: string;
}

/** An event was fired, with the payload as it came in. */
export interface EventRecord extends Base {
  readonly kind: "event";
  readonly payload: Json;
}

/** A handler is about to run, with the payload it is going to see. */
export interface HookCallRecord extends Base {
  readonly kind: "hook_call";
  readonly hook: HookRef;
  /** It is told the outcome, and has no part in it. */
  readonly observes?: true;
  readonly payload: Json;
}

/** A handler answered, and what that meant. */
export interface HookReturnedRecord extends Base {
  readonly kind: "hook_returned";
  readonly hook: HookRef;
  readonly result: EffectResult;
  readonly reason?: string;
  /** The new value of the path the event modifies. */
  readonly change?: Json;
  readonly reminders?: readonly Reminder[];
  readonly stop?: boolean;
  readonly stop_reason?: string;
  readonly warnings?: readonly string[];
  /** What an executable had to say to the person. */
  readonly stderr?: string;
  readonly duration_ms: number;
}

/** A handler vetoed, or answered a permission question. */
export interface HookVetoedRecord extends Base {
  readonly kind: "hook_vetoed";
  readonly hook: HookRef;
  readonly reason: string;
  readonly decision: PermissionDecision | null;
  /** False on an advisory event: the veto stands here and has no effect. */
  readonly honoured: boolean;
}

/** A handler failed, and what that was taken for. */
export interface HookFailedRecord extends Base {
  readonly kind: "hook_failed";
  readonly hook: HookRef;
  readonly observes?: true;
  readonly code: ErrorCode;
  readonly message: string;
  readonly on_error: OnError;
  readonly duration_ms: number;
}

/** What the dispatch came to. */
export interface OutcomeRecord extends Base {
  readonly kind: "outcome";
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly by?: string;
  readonly decision?: PermissionDecision;
  readonly modified: boolean;
  readonly reminders: number;
  readonly stop: boolean;
}

export type TapeEntry =
  | EventRecord
  | HookCallRecord
  | HookReturnedRecord
  | HookVetoedRecord
  | HookFailedRecord
  | OutcomeRecord;

/** An entry on a tape; its number is given by the tape that holds it. */
export type TapeRecord = TapeEntry & { readonly seq: number };

/** Where records go. A sink that throws, or whose commit fails, makes gates block: no allow without a record. */
export interface TapeSink {
  /** Takes one record. It may wait for `commit` to be stored. */
  write(entry: TapeEntry): undefined;
  /** A dispatch has ended: what it wrote must be kept before its outcome is handed to the agent. */
  commit?(): MaybePromise<undefined>;
}

/** A tape in memory. */
export interface MemoryTape extends TapeSink {
  readonly records: readonly TapeRecord[];
}

/** Keeps every record in memory, numbered from 0. */
export function memoryTape(): MemoryTape {
  const records: TapeRecord[] = [];
  return {
    records,
    write(entry): undefined {
      records.push({ seq: records.length, ...entry });
    },
  };
}
