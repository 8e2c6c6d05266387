import { readFileSync } from "node:fs";
import { RUNTIME_VERSION } from "@hooks/manifest";
import { expect, test } from "vitest";
import { VERSION } from "./version.js";

test("the version is that of the package, and of the runtime", () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect([VERSION, RUNTIME_VERSION]).toEqual([version, version]);
});
