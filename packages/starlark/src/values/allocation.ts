import type { Thread } from "../evaluator/thread.js";
import { Float } from "./values.js";

/**
 * What values take in units beside what they hold: about half of what V8 needs for the smallest of them, so that a million
 * small ones are not free.
 */
export const UNITS = {
  float: 32,
  bytes: 160,
  list: 64,
  tuple: 56,
  dict: 96,
  set: 96,
  range: 56,
  method: 40,
  /** A string that is a part of another. */
  part: 32,
} as const;

export function newFloat(thread: Thread, value: number): Float {
  thread.allocate(UNITS.float);
  return new Float(value);
}
