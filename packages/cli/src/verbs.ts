import type { Verb } from "./verb.js";

interface Entry {
  readonly summary: string;
  /** Loads the verb, and only then what it needs. */
  readonly load: () => Promise<{ readonly verb: Verb }>;
}

/** Every verb, in the order of the help. */
export const verbs: Readonly<Record<string, Entry>> = {
  run: { summary: "answer events from standard input, one line each", load: () => import("./verbs/run.js") },
  list: { summary: "the stack in the order of dispatch, or the events", load: () => import("./verbs/list.js") },
  explain: { summary: "what every hook makes of one event, and why", load: () => import("./verbs/explain.js") },
  validate: { summary: "everything that is wrong with a policy", load: () => import("./verbs/validate.js") },
  test: { summary: "the table tests beside a policy", load: () => import("./verbs/test.js") },
};
