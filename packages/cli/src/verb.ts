import type { Exit } from "./exit.js";
import type { Terminal } from "./terminal.js";

/** One flag of a verb. */
export interface Flag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  /** May be given more than once. */
  readonly multiple?: true;
  /** What its value is called in the help. */
  readonly value?: string;
  /** The values it takes, when there is an end of them. */
  readonly choices?: readonly string[];
  readonly about: string;
}

export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F["type"] extends "boolean"
  ? boolean
  : F extends { multiple: true }
    ? readonly string[]
    : F extends { choices: readonly (infer Choice)[] }
      ? Choice | undefined
      : string | undefined;

/** What a command line gave: the flags by name, and what stood beside them. */
export interface Given<F extends Flags = Flags> {
  readonly flags: { readonly [Name in keyof F]: ValueOf<F[Name]> };
  readonly words: readonly string[];
}

/** One verb of the command line. */
export interface Verb<F extends Flags = Flags> {
  /** How it is called, without `harn`. */
  readonly usage: string;
  /** What it does, in a few lines. */
  readonly about: string;
  readonly flags: F;
  /** How many words beside the flags it takes; none when absent. */
  readonly words?: { readonly least: number; readonly most: number };
  /** At least two, each with what it shows. */
  readonly examples: readonly [Example, Example, ...Example[]];
  run(given: Given<F>, terminal: Terminal): Promise<Exit>;
  /** What this verb ends with when it fails, or its command line is wrong, in the place of the usual report. */
  refuse?(error: unknown, terminal: Terminal): Exit;
}

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** Types a verb by its flags. */
export function defineVerb<const F extends Flags>(verb: Verb<F>): Verb {
  return verb as unknown as Verb;
}

/** The flags of every verb that loads a policy. */
export const POLICY_FLAGS = {
  manifest: { type: "string", value: "FILE", about: "the manifest, instead of the nearest harn.toml upwards" },
  json: { type: "boolean", about: "one JSON document on standard output" },
} as const satisfies Flags;

/** The flag of every verb that records on a tape. */
export const MASK_FLAG = {
  type: "string",
  value: "PATH",
  multiple: true,
  about: "mask what stands at this path of a payload on the tape, as tool.args.pin or **.pin; may be repeated",
} as const satisfies Flag;

/** The flags of every verb that edits a policy. */
export const EDIT_FLAGS = {
  ...POLICY_FLAGS,
  yes: { type: "boolean", short: "y", about: "ask nothing" },
  "dry-run": { type: "boolean", about: "show what would change, and change nothing" },
  "no-install": {
    type: "boolean",
    about: "leave package.json and node_modules as they are; for what is installed already",
  },
} as const satisfies Flags;
