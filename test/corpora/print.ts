import { readCorpus, scoreCorpus } from "./corpus.js";

const cases = readCorpus();
if (cases === null) console.log("skipped: ../shared/corpora is not there");
else {
  const scores = scoreCorpus(cases);
  console.log("command-guard with its defaults, against what other guards' suites expect\n");
  console.log("tier        expected   cases  agreed        ");
  for (const { tier, expected, cases: count, agreed } of scores) {
    const share = ((100 * agreed) / count).toFixed(1);
    console.log(
      `${tier.padEnd(12)}${expected.padEnd(9)}${String(count).padStart(7)}${String(agreed).padStart(8)}${share.padStart(7)} %`,
    );
  }
  console.log("\ndisagreements");
  for (const { tier, expected, disagreements } of scores) {
    for (const { case: one, verdict, rule } of disagreements) {
      console.log(
        `  ${tier} ${expected} -> ${verdict}${rule === null ? "" : ` (${rule})`}: ${JSON.stringify(one.command)}`,
      );
    }
  }
}
