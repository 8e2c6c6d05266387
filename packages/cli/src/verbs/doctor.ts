import { agentNames } from "@hooks/agents";
import { printable } from "@hooks/core";
import { runChecks } from "../checks.js";
import { EXIT } from "../exit.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

const MARKS = { ok: ["ok     ", "green"], warning: ["warning", "yellow"], problem: ["problem", "red"] } as const;

export const verb = defineVerb({
  usage: "doctor [--manifest FILE] [--agent NAME] [--json]",
  about: `Looks at everything a policy needs to work: Node, the manifest, the packages it names, its tests, what is kept
between starts, and every agent it is wired into: a canary is sent through the agent's own settings, which must refuse it.
With --agent, one agent alone, and what it will not cover. Says what is wrong and what to do about it; exits 1 when something is.`,
  flags: {
    ...POLICY_FLAGS,
    agent: { type: "string", value: "NAME", choices: agentNames, about: "an agent that must be wired, and its gaps" },
  },
  examples: [
    { command: "harn doctor", shows: "what is as it should be, and what is not" },
    { command: "harn doctor --json", shows: "the same for a program" },
  ],
  async run({ flags }, { host, print, json, talk, paint }) {
    const checks = await runChecks(host, flags.manifest, flags.agent);
    const wrong = checks.filter(({ state }) => state === "problem").length;
    if (flags.json) json({ ok: wrong === 0, checks });
    else {
      const width = Math.max(...checks.map(({ name }) => name.length));
      for (const { name, state, fact, help } of checks) {
        const [mark, style] = MARKS[state];
        print(`${paint(style, mark)}  ${name.padEnd(width)}  ${printable(fact)}`);
        if (help !== undefined) print(`${" ".repeat(width + 11)}${paint("dim", printable(help))}`);
      }
      talk(wrong === 0 ? "no problems" : `${wrong} ${wrong === 1 ? "problem" : "problems"}`);
    }
    return wrong === 0 ? EXIT.fine : EXIT.findings;
  },
});
