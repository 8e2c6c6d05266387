import { fstatSync } from "node:fs";
import { agents, type Call, isAgentName, MAX_PAYLOAD_BYTES, readCall, refuseCall } from "@hooks/agents";
import { messageOf, nearest } from "@hooks/core";
import { type CallOptions, type PendingCall, projectOf, startCall } from "../agent-call.js";
import { now } from "../clock.js";
import { EXIT, usage } from "../exit.js";
import { LastWord } from "../last-word.js";
import { askServer } from "../serve/client.js";
import { descriptor, type Host, type Output, type Terminal } from "../terminal.js";
import { defineVerb, MASK_FLAG, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage:
    "hook AGENT [--event NAME] [--manifest FILE] [--tape FILE | --no-tape] [--budget MS] [--no-server] [--answer-fd 3]",
  about: `What an agent's hook command calls; "harn init --agent AGENT" writes it into the agent's settings. Reads the agent's
payload from standard input, asks the policy, and answers in the agent's own protocol: nothing else is ever on standard
output. AGENT is ${Object.keys(agents).join(", ")}.

Exit code 0 lets the agent go on, with or without a word from the policy. Exit code 2 is a veto and nothing else: the
reason is on standard error, and in the agent's JSON on standard output. Whatever goes wrong is a veto where there is
something to refuse: a policy that does not load, a payload that cannot be read, a hook that crashes or takes too long.`,
  flags: {
    event: {
      type: "string",
      value: "NAME",
      about: "the agent's event, for payloads that do not name it (GitHub Copilot)",
    },
    manifest: POLICY_FLAGS.manifest,
    tape: { type: "string", value: "FILE", about: "the tape, instead of the session's own in the state directory" },
    mask: MASK_FLAG,
    "no-tape": { type: "boolean", about: "record nothing" },
    budget: {
      type: "string",
      value: "MS",
      about: "how long all hooks together may take; below the agent's own timeout",
    },
    "no-server": { type: "boolean", about: "answer here, also when harn serve is running" },
    "answer-fd": {
      type: "string",
      value: "3",
      about: "the descriptor the answer is written to, in the place of standard output, which hooks can reach",
    },
    json: { type: "boolean", about: "what it does anyway" },
  },
  words: { least: 1, most: 1 },
  examples: [
    {
      command: `echo '{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}' | harn hook claude`,
      shows: "what Claude Code asks before it lists a directory",
    },
    {
      command: "harn hook copilot --event preToolUse < payload.json",
      shows: "an agent whose payload does not name its event",
    },
  ],
  async run({ flags, words: [name = ""] }, terminal) {
    const { host } = terminal;
    if (!isAgentName(name)) throw unknownAgent(name);
    const started = now();
    const budget = readBudget(flags.budget);
    // Copilot runs the hooks of Claude Code's settings as well, with payloads of its own.
    const agent =
      name === "claude" && host.env.COPILOT_CLI === "1" && !host.env.CLAUDECODE ? agents.copilot : agents[name];
    let call: Call = {
      agent,
      event: flags.event,
      row: agent.events[flags.event ?? ""],
      input: undefined,
      problem: "nothing was read",
    };
    let pending: PendingCall | undefined;
    const word = new LastWord(answerTo(flags["answer-fd"]) ?? host.out, host.err, (why) => {
      pending?.abandon();
      return refuseCall(call, why);
    });
    word.arm(budget);
    const payload = await readAll(host);
    call = readCall(agent, payload, flags.event);
    const tape: CallOptions["tape"] = flags["no-tape"] ? false : flags.tape;
    const options: CallOptions = { manifest: flags.manifest, tape, mask: flags.mask, deadline: started + budget };
    const inProject: Terminal = { ...terminal, host: { ...host, cwd: projectOf(agent, host.env, host.cwd) } };
    if (call.problem === undefined && !flags["no-server"]) {
      const { cwd: project } = inProject.host;
      const errand = {
        agent: agent.name,
        event: flags.event,
        manifest: flags.manifest,
        tape,
        mask: flags.mask,
        project,
        budget: Math.max(1, budget - MARGIN_MS),
        payload,
      };
      const reply = await askServer(errand, host.cwd).catch((error) => refuseCall(call, messageOf(error)));
      if (reply !== undefined) return word.say(reply);
    }
    pending = startCall(call, options, inProject);
    return word.say(await pending.reply);
  },
  refuse(error, { talk }) {
    // An agent takes every other exit code for a yes.
    talk(`Harn refuses: ${messageOf(error)}`);
    return EXIT.block;
  },
});

function unknownAgent(name: string) {
  const known = Object.keys(agents);
  const near = nearest(name, known);
  const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
  return usage(`there is no agent "${name}".${meant}`, `it is one of ${known.join(", ")}`);
}

/** A server answers this much earlier than it must, so that its answer is the one that is told. */
const MARGIN_MS = 100;

/** Below the shortest timeout of any agent, which `init` writes too. */
const DEFAULT_BUDGET_MS = 25_000;

function readBudget(given: string | undefined): number {
  if (given === undefined) return DEFAULT_BUDGET_MS;
  const budget = Number(given);
  if (!Number.isInteger(budget) || budget < 1)
    throw usage(`--budget must be a whole number of milliseconds, got "${given}"`);
  return budget;
}

/** Whoever names a descriptor that leads nowhere would get no answer: that is found out before a hook runs. */
function answerTo(given: string | undefined): Output | undefined {
  if (given === undefined) return undefined;
  // The ones above it may be Node's own.
  if (given !== "3") throw usage(`--answer-fd can only be 3, got "${given}"`);
  if (!canBeRead(3))
    throw usage("--answer-fd 3: nobody reads this descriptor", "harn hook AGENT --answer-fd 3 3>&1 >&2");
  return descriptor(3);
}

function canBeRead(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isFIFO() || found.isSocket() || found.isFile() || found.isCharacterDevice();
  } catch {
    return false;
  }
}

async function readAll(host: Host): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of host.stdin()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_PAYLOAD_BYTES) break;
  }
  return Buffer.concat(chunks);
}
