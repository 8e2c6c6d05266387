import { createHarness } from "@hooks/core";
import { cap } from "@hooks/output-cap";
import { createRedactor } from "@hooks/secrets";
import { compare, report } from "./measure.js";

const line = "src/index.ts:12:3 compiled in 14 ms, 3 modules, token budget left: 1200\n";
const short = line.repeat(20);
const long = line.repeat(1_500);
const redactor = createRedactor();
const harness = createHarness();
harness.register({ event: "PostToolUse", handler: cap, options: { spill: false } });

const prepare = (text: string) =>
  harness.prepare("PostToolUse", { tool: { name: "Bash", args: {} }, result: { text, is_error: false } });
const shortResult = prepare(short);
const longResult = prepare(long);

report(
  "output-cap, a decision about one result, against looking at each of its characters once",
  await compare({
    [`${short.length} characters: one regex`]: () => /[^\P{Cc}\n]/u.test(short),
    [`${short.length} characters: redactor`]: () => redactor.text(short),
    [`${short.length} characters: output-cap`]: () => harness.dispatch(shortResult),
    [`${long.length} characters: one regex`]: () => /[^\P{Cc}\n]/u.test(long),
    [`${long.length} characters: redactor`]: () => redactor.text(long),
    [`${long.length} characters: output-cap, cut`]: () => harness.dispatch(longResult),
  }),
);
