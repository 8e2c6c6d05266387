import type { Verb } from "./verb.js";

/** What verbs are for, in the order of the help. */
export const GROUPS = ["Set up", "See and test", "Enforce", "Look back", "Publish"] as const;

interface Entry {
  readonly group: (typeof GROUPS)[number];
  readonly summary: string;
  /** Loads the verb, and only then what it needs. */
  readonly load: () => Promise<{ readonly verb: Verb }>;
}

/** Every verb, in the order of the help. */
export const verbs: Readonly<Record<string, Entry>> = {
  init: { group: "Set up", summary: "give a project a policy", load: () => import("./verbs/init.js") },
  add: { group: "Set up", summary: "install hook packages and bind them", load: () => import("./verbs/add.js") },
  remove: { group: "Set up", summary: "take a hook package out again", load: () => import("./verbs/remove.js") },
  update: {
    group: "Set up",
    summary: "newer packages, tried on the recent tapes first",
    load: () => import("./verbs/update.js"),
  },
  inspect: {
    group: "Set up",
    summary: "what an installed package offers, without running it",
    load: () => import("./verbs/inspect.js"),
  },
  trust: {
    group: "Set up",
    summary: "let a project's policy run on this machine",
    load: () => import("./verbs/trust.js"),
  },
  lock: {
    group: "Set up",
    summary: "write down exactly which packages may run",
    load: () => import("./verbs/lock.js"),
  },
  doctor: {
    group: "Set up",
    summary: "whether everything is as it should be",
    load: () => import("./verbs/doctor.js"),
  },
  completion: {
    group: "Set up",
    summary: "the completion of bash, zsh or fish",
    load: () => import("./verbs/completion.js"),
  },
  list: {
    group: "See and test",
    summary: "the stack in the order of dispatch, or the events",
    load: () => import("./verbs/list.js"),
  },
  explain: {
    group: "See and test",
    summary: "what every hook makes of one event, and why",
    load: () => import("./verbs/explain.js"),
  },
  validate: {
    group: "See and test",
    summary: "everything that is wrong with a policy",
    load: () => import("./verbs/validate.js"),
  },
  test: { group: "See and test", summary: "the table tests beside a policy", load: () => import("./verbs/test.js") },
  hook: { group: "Enforce", summary: "answer the hook of an agent", load: () => import("./verbs/hook.js") },
  run: {
    group: "Enforce",
    summary: "answer events from standard input, one line each",
    load: () => import("./verbs/run.js"),
  },
  serve: {
    group: "Enforce",
    summary: "answer the hooks of agents from one warm process",
    load: () => import("./verbs/serve.js"),
  },
  mcp: { group: "Enforce", summary: "guard the tools of an MCP server", load: () => import("./verbs/mcp.js") },
  tape: {
    group: "Look back",
    summary: "list, show, tail, verify, recover and export tapes",
    load: () => import("./verbs/tape.js"),
  },
  replay: {
    group: "Look back",
    summary: "a recorded session once more, byte for byte",
    load: () => import("./verbs/replay.js"),
  },
  backtest: {
    group: "Look back",
    summary: "what another policy would have said",
    load: () => import("./verbs/backtest.js"),
  },
  new: { group: "Publish", summary: "a hook package to start from", load: () => import("./verbs/new.js") },
  pack: { group: "Publish", summary: "whether a policy pack can be published", load: () => import("./verbs/pack.js") },
  publish: {
    group: "Publish",
    summary: "check a policy pack, and publish it",
    load: () => import("./verbs/publish.js"),
  },
};
