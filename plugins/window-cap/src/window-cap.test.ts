import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EventName, JsonObject } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { afterAll, describe, expect, test } from "vitest";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-window-")));
afterAll(() => rmSync(scratch, { recursive: true }));
let projects = 0;

const EVENTS = ["UserPromptSubmit", "TurnStart", "PreCompletion", "PostCompletion", "TurnEnd"];

async function load(options: string, isolation = "inline") {
  const cwd = join(scratch, `project-${projects++}`);
  mkdirSync(join(cwd, "node_modules/@hooks"), { recursive: true });
  symlinkSync(plugin, join(cwd, "node_modules/@hooks/window-cap"));
  const hooks = EVENTS.map(
    (event) =>
      `[[hooks]]\nevent = "${event}"\nhandler = "@hooks/window-cap::cap"\nisolation = "${isolation}"\noptions = { ${options} }\n`,
  );
  writeFileSync(join(cwd, "harn.toml"), hooks.join("\n"));
  const loaded = await loadHarness({ cwd });
  if (!loaded.ok) throw new Error(loaded.message);
  const session = { id: `s${projects}` };
  return async (event: EventName, payload: JsonObject) => {
    const outcome = await loaded.harness.fire(event, { session, ...payload } as never);
    expect(outcome.faults).toEqual([]);
    return outcome as unknown as {
      verdict: string;
      reason?: string;
      modified: boolean;
      payload: Record<string, JsonObject & string>;
    };
  };
}

const messages = (n: number) => Array.from({ length: n }, () => ({ role: "user", content: "hello there" }));

describe("a request", () => {
  test("of too many messages is refused, by whatever name a provider has for them", async () => {
    const fire = await load("max_messages = 3");
    for (const key of ["messages", "input", "contents"]) {
      expect((await fire("PreCompletion", { request: { model: "m", [key]: messages(3) } })).verdict).toBe("allow");
      const { verdict, reason } = await fire("PreCompletion", { request: { model: "m", [key]: messages(4) } });
      expect([verdict, reason]).toEqual([
        "block",
        "the request has 4 messages, and 3 are allowed: compact the conversation, or start another",
      ]);
    }
  });

  test("has 200 messages when nothing is said", async () => {
    const fire = await load("");
    expect((await fire("PreCompletion", { request: { messages: messages(200) } })).verdict).toBe("allow");
    expect((await fire("PreCompletion", { request: { messages: messages(201) } })).verdict).toBe("block");
  });

  test("of too many tokens is refused, and a limit that is too high is lowered", async () => {
    const fire = await load("max_request_tokens = 1000, max_output_tokens = 500");
    expect((await fire("PreCompletion", { request: { messages: messages(100) } })).reason).toContain(
      "tokens, and 1000 are allowed",
    );
    const { payload } = await fire("PreCompletion", {
      request: { max_tokens: 9_000, generationConfig: { maxOutputTokens: 800, temperature: 1 } },
    });
    expect(payload.request).toEqual({ max_tokens: 500, generationConfig: { maxOutputTokens: 500, temperature: 1 } });
    expect((await fire("PreCompletion", { request: { max_tokens: 400 } })).modified).toBe(false);
  });
});

describe.each(["inline", "worker"])("%s", (isolation) => {
  test("a turn that has written enough gets no further completion, and the next one starts anew", async () => {
    const fire = await load("max_turn_tokens = 100, max_turn_completions = 3", isolation);
    const request = { request: { messages: [] } };
    expect((await fire("PreCompletion", request)).verdict).toBe("allow");
    await fire("PostCompletion", { response: { text: "x", usage: { output_tokens: 101 } } });
    expect((await fire("PreCompletion", request)).reason).toBe(
      "the turn has 101 tokens of output, and 100 are allowed: finish with what there is",
    );
    await fire("TurnStart", { prompt: "go on" });
    for (let n = 0; n < 3; n++) {
      expect((await fire("PreCompletion", request)).verdict).toBe("allow");
      await fire("PostCompletion", { response: { text: "x", usage: { output_tokens: 1 } } });
    }
    expect((await fire("PreCompletion", request)).reason).toContain("4 completions");
    await fire("TurnEnd", { text: "done" });
    expect((await fire("PreCompletion", request)).verdict).toBe("allow");
  });
});

test("texts of a response and of a turn are cut, tool calls are left whole", async () => {
  const fire = await load("max_completion_chars = 200");
  const call = { type: "tool_use", name: "Write", input: { content: "z".repeat(1_000) } };
  const response = {
    content: [{ type: "text", text: "a".repeat(1_000) }, call],
    tool_calls: [{ text: "b".repeat(1_000) }],
  };
  const { payload } = await fire("PostCompletion", { response });
  const { content, tool_calls } = payload.response as JsonObject;
  const [text, kept] = content as unknown as [{ text: string }, unknown];
  expect(text.text.length).toBeLessThanOrEqual(200);
  expect(text.text).toContain("characters dropped");
  expect(kept).toEqual(call);
  expect(tool_calls).toEqual(response.tool_calls);
  expect((await fire("TurnEnd", { text: "c".repeat(1_000) })).payload.text?.length).toBeLessThanOrEqual(200);
});

test("a prompt that is too long is refused", async () => {
  const fire = await load("max_prompt_tokens = 10");
  expect((await fire("UserPromptSubmit", { prompt: "hello" })).verdict).toBe("allow");
  expect((await fire("UserPromptSubmit", { prompt: "hello ".repeat(50) })).verdict).toBe("block");
});
