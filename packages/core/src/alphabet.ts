import type { EventSpec } from "./events.js";
import type { Alphabet } from "./reach.js";

/** Any text. */
export const ANYTHING: Alphabet = () => true;

// What somebody calls an agent, a persona or a step may have blanks in it; what a program calls a tool or a model has none.
const GIVEN: readonly (string | null)[] = ["subagent.name", "persona", "target", "error.name"];
const NEVER = '"`^$,;{}[]<>|=*?!\\';

/** The characters the subject of an event may have: not those that are an operator, a quote or a wildcard somewhere. */
export function alphabetOf({ subject }: EventSpec): Alphabet {
  if (subject === "path") return ANYTHING;
  const never = GIVEN.includes(subject) ? NEVER : `${NEVER}&~()' `;
  return (code) => code > 0x1f && code !== 0x7f && !never.includes(String.fromCharCode(code));
}

/** Whether the subject of an event is a name with blanks in it, as people give them. */
export function isGiven({ subject }: EventSpec): boolean {
  return GIVEN.includes(subject);
}
