import { createInterface } from "node:readline/promises";

/** Asks a question that is answered with yes or no; yes when nothing is said. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await lines.question(`${question} [Y/n] `)).trim().toLowerCase();
    return answer === "" || answer === "y" || answer === "yes";
  } finally {
    lines.close();
  }
}
