import { expect, test } from "vitest";
import { renderEventsPage } from "./events-page.js";

test("docs/events.md says what the catalogue says", async () => {
  await expect(renderEventsPage()).toMatchFileSnapshot("../../docs/events.md");
});
