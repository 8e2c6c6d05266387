import { agentNames, agents, answerCall, readCall } from "@hooks/agents";
import {
  ask,
  block,
  createHarness,
  type EventName,
  type Harness,
  type JsonObject,
  memoryTape,
  modify,
  remind,
  specOf,
  stop,
} from "@hooks/core";
import { describe, expect, test } from "vitest";
import { eventOf, inputsOf, observedInputs } from "./inputs.js";

const CHANGES: Readonly<Record<string, JsonObject>> = {
  "tool.args": { args: { command: "REWRITTEN", file_path: "REWRITTEN" } },
  prompt: { prompt: "REWRITTEN" },
  text: { text: "REWRITTEN" },
  result: { result: "REWRITTEN" },
  request: { request: { model: "REWRITTEN" } },
  response: { response: { model: "REWRITTEN" } },
};

/** One answer of a hook, for every event that honours it. */
const ANSWERS: Readonly<Record<string, (event: EventName) => unknown>> = {
  allow: () => undefined,
  block: () => block("BECAUSE"),
  ask: () => ask("BECAUSE"),
  modify: (event) => modify(CHANGES[specOf(event).modifies ?? ""] ?? {}),
  remind: () => remind({ body: "REMEMBER" }),
  stop: () => stop("ENOUGH"),
  "allow a permission": () => ({ decision: "allow" }),
  "deny a permission": () => ({ decision: "deny", reason: "BECAUSE" }),
};

const HONOUR: Readonly<Record<string, string>> = { "allow a permission": "decision", "deny a permission": "decision" };

function honours(event: EventName, answer: string): boolean {
  return answer === "allow" || (specOf(event).honours as readonly string[]).includes(HONOUR[answer] ?? answer);
}

function stackAnswering(answer: string, events: readonly EventName[], tape = memoryTape()): Harness {
  const harness = createHarness({ tape, ports: { now: () => 0, warn: () => {} } });
  for (const event of events) {
    if (!honours(event, answer)) continue;
    harness.install([{ event, handlerName: "golden", handler: () => ANSWERS[answer]?.(event) }]);
  }
  return harness;
}

describe.each(agentNames)("%s", (name) => {
  const agent = agents[name];

  test("what each of its events is in Harn, and how each answer is put in its words", async () => {
    const pages: string[] = [];
    for (const [title, input] of Object.entries(inputsOf(name))) {
      const call = readCall(agent, Buffer.from(JSON.stringify(input)), eventOf(title));
      expect(call.problem, title).toBeUndefined();
      const tape = memoryTape();
      const silent = stackAnswering("allow", [], tape);
      await answerCall(call, (event, payload) => silent.fire(event, payload as never));
      const asked = tape.records.flatMap((record) => (record.kind === "event" ? [record] : []));
      const lines = asked.map(({ event, payload }) => `${event} ${JSON.stringify(payload)}`);
      const events = asked.map(({ event }) => event as EventName);
      for (const answer of Object.keys(ANSWERS)) {
        if (!events.some((event) => honours(event, answer))) continue;
        const harness = stackAnswering(answer, events);
        const { stdout, stderr, exit } = await answerCall(call, (event, payload) =>
          harness.fire(event, payload as never),
        );
        lines.push(`  ${answer}: exit ${exit}`, `    out ${stdout}`, `    err ${stderr.replaceAll("\n", "\\n")}`);
      }
      pages.push([`## ${title}`, ...(lines.length === 0 ? ["not an event of Harn"] : lines)].join("\n"));
    }
    await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  const observed = observedInputs(name);
  test.skipIf(observed === null)("every input that was observed with the real client is read", () => {
    for (const [title, input] of Object.entries(observed ?? {})) {
      const call = readCall(agent, Buffer.from(JSON.stringify(input)), eventOf(title));
      expect(call.problem, title).toBeUndefined();
      expect(Object.keys(inputsOf(name)), "has a golden file of its own").toContain(title);
    }
  });
});
