import { compileExpression, isTrue, Thread } from "@hooks/starlark";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileWhen } from "./script.js";
import { toStarlark } from "./values.js";

/** What the language itself says, without any shortcut. */
function said(text: string, view: object): unknown {
  try {
    const expression = compileExpression(text.trim(), { names: ["payload", "event"] });
    const payload = toStarlark(new Thread(), view as never);
    return isTrue(expression.evaluate({ payload, event: "tool.pre" }, {}).value);
  } catch (error) {
    return `raises ${(error as Error).message}`;
  }
}

function decided(text: string, view: object): unknown {
  const when = compileWhen(text);
  if (typeof when !== "function") return `raises ${when.message}`;
  try {
    return when(view as never, "tool.pre");
  } catch (error) {
    return `raises ${(error as Error).message}`;
  }
}

describe("when", () => {
  it("compares a field with texts as the language does, however it is written", () => {
    const word = fc.constantFrom("run_command", "name", "", "a b", "ä", "'", "x,y", "]", "__proto__");
    const field = fc.constantFrom("name", "args", "missing", "__proto__", "toString");
    const space = fc.constantFrom("", " ", "  ");
    const list = fc.array(word, { maxLength: 3 });
    const text = fc
      .tuple(field, word, list, space, space, fc.boolean())
      .map(([key, one, many, before, after, isList]) =>
        isList
          ? `${before}payload["${key}"] in [${many.map((item) => `${after}"${item}"`).join(",")}]${after}`
          : `${before}payload["${key}"] ==${after} "${one}"${after}`,
      );
    const view = fc.record({ name: fc.oneof(word, fc.integer(), fc.constant(null)), args: fc.object({ maxDepth: 1 }) });
    fc.assert(
      fc.property(text, view, (written, payload) => {
        const own = JSON.parse(JSON.stringify(payload)) as object;
        expect(decided(written, own)).toEqual(said(written, own));
      }),
      { numRuns: 2_000 },
    );
  });
});
