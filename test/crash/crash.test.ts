import { expect, test } from "vitest";
import { crash } from "./crash.js";

test("a writer that is killed at any moment has lost no outcome it was handed", async () => {
  const { acknowledged, failures } = await crash(12, Math.random);
  expect(failures).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
});
