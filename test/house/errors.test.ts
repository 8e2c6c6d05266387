import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { remedyOf } from "./error-remedies.js";
import { catalogueOfErrors, renderErrorsPage } from "./errors-page.js";
import { packageFolders, root } from "./repository.js";

const CODE = /\bHARN_[EW]_[A-Z][A-Z_]*[A-Z]\b/g;
const codes = [...catalogueOfErrors().keys()];

test("docs/errors.md says what the catalogues say", async () => {
  await expect(renderErrorsPage()).toMatchFileSnapshot("../../docs/errors.md");
});

describe("every code", () => {
  test("that is raised is in a catalogue", () => {
    const raised = packageFolders().flatMap((folder) => codesIn(join(root, folder, "src"), isSource));
    expect([...new Set(raised)].filter((code) => !codes.includes(code))).toEqual([]);
  });

  test("has a cause and a remedy in test/house/error-remedies.ts", () => {
    expect(codes.filter((code) => remedyOf(code) === undefined)).toEqual([]);
  });

  test("is raised by a test or a sample", () => {
    const tested = new Set([
      ...packageFolders().flatMap((folder) => codesIn(join(root, folder, "src"), (name) => name.endsWith(".test.ts"))),
      ...codesIn(join(root, "test"), (name) => name.endsWith(".test.ts") || /\.(txt|json)$/.test(name)),
    ]);
    expect(codes.filter((code) => !tested.has(code))).toEqual([]);
  });
});

function isSource(name: string): boolean {
  return name.endsWith(".ts") && !name.endsWith(".test.ts");
}

function codesIn(directory: string, isWanted: (name: string) => boolean): string[] {
  // A pack is a manifest, and has no sources.
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name) && !entry.parentPath.includes("node_modules"))
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").match(CODE) ?? []);
}
