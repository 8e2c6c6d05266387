import type { HarnError } from "./errors.js";

/** What the runtime needs from the world. Everything else in this package is pure. */
export interface Ports {
  /** Milliseconds from any fixed point; must not go backwards. */
  readonly now: () => number;
  /** Calls `tick` every `ms` milliseconds until the returned function is called. */
  readonly every: (ms: number, tick: () => void) => () => void;
  /** Where a fault or a warning becomes visible to a person. */
  readonly warn: (warning: Warning) => void;
}

/** Something a person should see although the agent goes on. */
export interface Warning {
  readonly event: string;
  readonly hook: string;
  readonly message: string;
  readonly error?: HarnError;
}

/** The ports of an ordinary process: its clock, its timers, its standard error. */
export function systemPorts(): Ports {
  return {
    now: () => performance.now(),
    every(ms, tick) {
      const timer = setInterval(tick, ms);
      return () => clearInterval(timer);
    },
    warn: ({ event, hook, message }) => console.warn(printable(`harn: ${event} hook "${hook}": ${message}`)),
  };
}

/** A text without what a terminal would obey: it may quote what an agent wrote, and is printed on somebody's screen. */
export function printable(text: string): string {
  return text.replace(
    /[^\P{Cc}\n]|\p{Bidi_Control}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
