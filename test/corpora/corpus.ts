import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { explain } from "@hooks/command-guard";

/** What another guard's authors expect of a command. */
export interface Case {
  readonly command: string;
  readonly expected: "allow" | "block";
  readonly tier: string;
  readonly from: string;
  readonly note: string;
}

export interface Score {
  readonly tier: string;
  readonly expected: string;
  readonly cases: number;
  readonly agreed: number;
  readonly disagreements: readonly { readonly case: Case; readonly verdict: string; readonly rule: string | null }[];
}

const file = fileURLToPath(new URL("../../../shared/corpora/commands.jsonl", import.meta.url));

/** The commands of other guards' suites; null where they are not there. */
export function readCorpus(): readonly Case[] | null {
  if (!existsSync(file)) return null;
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Case);
}

/** How often the guard, with its defaults, agrees; what it asks about is not allowed. */
export function scoreCorpus(cases: readonly Case[]): readonly Score[] {
  const groups = new Map<string, Case[]>();
  for (const one of cases) {
    const key = `${one.tier} ${one.expected}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].map(([key, group]) => {
    const judged = group.map((one) => ({ case: one, ...explain(one.command) }));
    const disagreements = judged.filter(
      ({ verdict, case: one }) =>
        (verdict === "block" ? "block" : verdict === "ask" ? "ask" : "allow") !== one.expected,
    );
    const [tier = "", expected = ""] = key.split(" ");
    return { tier, expected, cases: group.length, agreed: group.length - disagreements.length, disagreements };
  });
}
