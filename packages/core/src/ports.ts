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

/** What a session needs from the world beside what its harness needs. */
export interface SessionPorts {
  /** Waits; rejects with the signal's reason when that is aborted first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The id of a session that was given none. */
  readonly newId: () => string;
  readonly warn: Ports["warn"];
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

/** The session ports of an ordinary process. */
export function systemSessionPorts(): SessionPorts {
  return {
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          signal.removeEventListener("abort", stop);
          resolve();
        }, ms);
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      }),
    newId: () => crypto.randomUUID(),
    warn: systemPorts().warn,
  };
}

/** A text without what a terminal would obey: it may quote what an agent wrote, and is printed on somebody's screen. */
export function printable(text: string): string {
  return text.replace(
    /[^\P{Cc}\n]|\p{Bidi_Control}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
