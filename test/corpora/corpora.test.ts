import { expect, test } from "vitest";
import { readCorpus, scoreCorpus } from "./corpus.js";

const cases = readCorpus();

test.skipIf(cases === null)(
  "command-guard agrees with what other guards' suites expect (skipped without ../shared/corpora)",
  () => {
    const scores = scoreCorpus(cases ?? []);
    const share = (tier: string, expected: string) => {
      const score = scores.find((one) => one.tier === tier && one.expected === expected);
      return (score?.agreed ?? 0) / (score?.cases ?? 1);
    };
    expect(share("universal", "block")).toBeGreaterThanOrEqual(0.99);
    expect(share("safe", "allow")).toBeGreaterThanOrEqual(0.998);
  },
);
