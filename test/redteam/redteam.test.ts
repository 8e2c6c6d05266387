import { explain } from "@hooks/command-guard";
import { expect, test } from "vitest";
import { readTable } from "./table.js";

const CWD = "/home/me/project";

test("no way around the guard is open", () => {
  const attempts = readTable("attempts.txt");
  expect(attempts.length).toBeGreaterThanOrEqual(200);
  const open = attempts.flatMap(({ command, isOpen }) => {
    const { verdict } = explain(command, { cwd: CWD });
    return verdict === "block" || (isOpen && verdict === "ask") ? [] : [`${verdict}: ${command}`];
  });
  expect(open).toEqual([]);
});

test("what developers type all day passes", () => {
  const commands = readTable("harmless.txt");
  expect(commands.length).toBeGreaterThanOrEqual(200);
  const stopped = commands.flatMap(({ command }) => {
    const { verdict, rule } = explain(command, { cwd: CWD });
    return verdict === "allow" ? [] : [`${verdict} by ${rule}: ${command}`];
  });
  expect(stopped).toEqual([]);
});
