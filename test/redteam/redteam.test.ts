import { explain } from "@hooks/command-guard";
import { expect, test } from "vitest";
import { readTable } from "./table.js";

const CWD = "/home/me/project";

test("no way around the guard is open", () => {
  const attempts = [...readTable("attempts.txt"), ...readTable("attempts-windows.txt")];
  expect(attempts.length).toBeGreaterThanOrEqual(400);
  const open = attempts.flatMap(({ command, dialect, isOpen }) => {
    const { verdict } = explain(command, { cwd: CWD, dialect });
    return verdict === "block" || (isOpen && verdict === "ask") ? [] : [`${verdict}: ${command}`];
  });
  expect(open).toEqual([]);
});

test("what developers type all day passes", () => {
  const commands = [...readTable("harmless.txt"), ...readTable("harmless-windows.txt")];
  expect(commands.length).toBeGreaterThanOrEqual(300);
  const stopped = commands.flatMap(({ command, dialect }) => {
    const { verdict, rule } = explain(command, { cwd: CWD, dialect });
    return verdict === "allow" ? [] : [`${verdict} by ${rule}: ${command}`];
  });
  expect(stopped).toEqual([]);
});
