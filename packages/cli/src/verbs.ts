import type { Verb } from "./verb.js";

interface Entry {
  readonly summary: string;
  /** Loads the verb, and only then what it needs. */
  readonly load: () => Promise<{ readonly verb: Verb }>;
}

/** Every verb, in the order of the help. */
export const verbs: Readonly<Record<string, Entry>> = {
  init: { summary: "give a project a policy", load: () => import("./verbs/init.js") },
  add: { summary: "install hook packages and bind them", load: () => import("./verbs/add.js") },
  remove: { summary: "take a hook package out again", load: () => import("./verbs/remove.js") },
  update: { summary: "newer packages, tried on the recent tapes first", load: () => import("./verbs/update.js") },
  inspect: {
    summary: "what an installed package offers, without running it",
    load: () => import("./verbs/inspect.js"),
  },
  serve: { summary: "answer the hooks of agents from one warm process", load: () => import("./verbs/serve.js") },
  mcp: { summary: "guard the tools of an MCP server", load: () => import("./verbs/mcp.js") },
  hook: { summary: "answer the hook of an agent", load: () => import("./verbs/hook.js") },
  run: { summary: "answer events from standard input, one line each", load: () => import("./verbs/run.js") },
  list: { summary: "the stack in the order of dispatch, or the events", load: () => import("./verbs/list.js") },
  explain: { summary: "what every hook makes of one event, and why", load: () => import("./verbs/explain.js") },
  validate: { summary: "everything that is wrong with a policy", load: () => import("./verbs/validate.js") },
  test: { summary: "the table tests beside a policy", load: () => import("./verbs/test.js") },
  replay: { summary: "a recorded session once more, byte for byte", load: () => import("./verbs/replay.js") },
  backtest: { summary: "what another policy would have said", load: () => import("./verbs/backtest.js") },
  tape: { summary: "list, show, tail, verify and export tapes", load: () => import("./verbs/tape.js") },
  trust: { summary: "let a project's policy run on this machine", load: () => import("./verbs/trust.js") },
  lock: { summary: "write down exactly which packages may run", load: () => import("./verbs/lock.js") },
  pack: { summary: "whether a policy pack can be published", load: () => import("./verbs/pack.js") },
  publish: { summary: "check a policy pack, and publish it", load: () => import("./verbs/publish.js") },
  new: { summary: "a hook package to start from", load: () => import("./verbs/new.js") },
  doctor: { summary: "whether everything is as it should be", load: () => import("./verbs/doctor.js") },
  completion: { summary: "the completion of bash, zsh or fish", load: () => import("./verbs/completion.js") },
};
