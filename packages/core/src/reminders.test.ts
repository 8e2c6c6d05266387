import { beforeEach, describe, expect, test } from "vitest";
import { parseReminder } from "./reminder.js";
import { createReminders, type Reminders } from "./reminders.js";

const bodies = (reminders: Reminders) => reminders.pending.map(({ body }) => body);
const spec = (body: string, rest: object = {}) => parseReminder({ body, ...rest });

describe("parseReminder", () => {
  test("fills in the defaults", () => {
    expect(parseReminder({ body: "x" })).toEqual({
      body: "x",
      tags: [],
      dedupe_key: null,
      ttl_turns: null,
      preserve_on_compact: false,
      propagate: "session",
      role_hint: "system",
    });
  });

  test("removes repeated tags, and takes a blank key for none", () => {
    expect(parseReminder({ body: "x", tags: ["a", "b", "a"], dedupe_key: " " })).toMatchObject({
      tags: ["a", "b"],
      dedupe_key: null,
    });
  });

  test.each([
    ["nothing", undefined, "must be an object, got nothing"],
    ["a list", [], "must be an object, got a list"],
    ["no body", {}, "body must be a text that is not empty"],
    ["an empty body", { body: " " }, "body must be a text"],
    ["an unknown key", { body: "x", dedupeKey: "k" }, 'unknown key "dedupeKey". Did you mean "dedupe_key"?'],
    ["tags that are no texts", { body: "x", tags: [1] }, "tags must be a list of texts"],
    ["a tag that is empty", { body: "x", tags: [""] }, "tags must be a list of texts"],
    ["a ttl of 0", { body: "x", ttl_turns: 0 }, "ttl_turns must be a whole number above 0"],
    ["a ttl of 1.5", { body: "x", ttl_turns: 1.5 }, "ttl_turns must be a whole number above 0"],
    ["an unknown reach", { body: "x", propagate: "everyone" }, "propagate must be one of all, session, none"],
    ["an unknown role", { body: "x", role_hint: "root" }, "role_hint must be one of system, developer, user_block"],
    ["preserve as text", { body: "x", preserve_on_compact: "yes" }, "preserve_on_compact must be true or false"],
    ["a key that is a number", { body: "x", dedupe_key: 1 }, "dedupe_key must be a text or null"],
  ])("refuses %s", (_, value, message) => {
    expect(() => parseReminder(value)).toThrow(message);
  });
});

describe("the reminders of a session", () => {
  let reminders: Reminders;
  beforeEach(() => {
    let n = 0;
    reminders = createReminders("s1", () => `r${++n}`);
  });

  test("keep their order, and get ids and origin from outside", () => {
    reminders.inject([spec("one"), spec("two")]);
    expect(reminders.pending).toMatchObject([
      { id: "r1", body: "one", origin: "s1", inherited: false },
      { id: "r2", body: "two" },
    ]);
  });

  test("a key replaces the pending reminder that has it", () => {
    reminders.inject([spec("old", { dedupe_key: "k" }), spec("other")]);
    expect(reminders.inject([spec("new", { dedupe_key: "k" })])).toMatchObject([{ body: "old" }]);
    expect(bodies(reminders)).toEqual(["other", "new"]);
  });

  test("count down at turn boundaries", () => {
    reminders.inject([spec("one", { ttl_turns: 1 }), spec("two", { ttl_turns: 2 }), spec("always")]);
    expect(reminders.turnEnded()).toMatchObject([{ body: "one" }]);
    expect(bodies(reminders)).toEqual(["two", "always"]);
    expect(reminders.turnEnded()).toMatchObject([{ body: "two" }]);
    expect(reminders.turnEnded()).toEqual([]);
    expect(bodies(reminders)).toEqual(["always"]);
  });

  test("survive compaction only when they are to be preserved", () => {
    reminders.inject([spec("gone"), spec("kept", { preserve_on_compact: true })]);
    expect(reminders.compacted()).toMatchObject([{ body: "gone" }]);
    expect(bodies(reminders)).toEqual(["kept"]);
  });

  test("reach subagents as they are told to", () => {
    reminders.inject([
      spec("all", { propagate: "all" }),
      spec("session", { propagate: "session" }),
      spec("none", { propagate: "none" }),
    ]);
    const child = reminders.child("s2");
    expect(bodies(child)).toEqual(["all", "session"]);
    expect(child.pending).toMatchObject([{ origin: "s1", inherited: true }, { inherited: true }]);
    child.inject([spec("born here")]);
    expect(bodies(child.child("s3"))).toEqual(["all", "born here"]);
    expect(bodies(reminders)).toEqual(["all", "session", "none"]);
  });

  test("are cleared by selectors that all match", () => {
    reminders.inject([spec("a", { tags: ["x"], dedupe_key: "k" }), spec("b", { tags: ["x"] })]);
    expect(reminders.clear({ tag: "x", dedupe_key: "other" })).toEqual([]);
    expect(reminders.clear({ tag: "x", dedupe_key: "k" })).toMatchObject([{ body: "a" }]);
    expect(reminders.clear({ id: "r2" })).toMatchObject([{ body: "b" }]);
    expect(() => reminders.clear({})).toThrow("clear needs an id, a tag or a dedupe_key");
  });
});
