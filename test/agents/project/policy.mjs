const hang = () => new Promise(() => {});

// Each misbehaviour is asked for by the command itself.
export function guard({ tool }) {
  const { command } = tool.args;
  const has = (word) => command.includes(word);
  if (has("HARM")) return { block: true, reason: "this is not done here" };
  if (has("REWRITE")) return { args: { ...tool.args, command: command.replace("REWRITE", "rewritten") } };
  if (has("CONFIRM")) return { effect: "ask", reason: "a person should see this" };
  if (has("REMIND")) return { reminder: { body: "remember the milk" } };
  if (has("STOP")) return { effect: "stop", reason: "enough for today" };
  if (has("NOISE")) console.log("noise on standard output");
  if (has("SPIN")) for (;;);
  if (has("EXIT")) process.exit(0);
  if (has("HANG")) return hang();
  if (has("SLOW")) return new Promise((resolve) => setTimeout(resolve, 2500));
  if (has("THROW")) throw new Error("broken");
  if (has("LATER")) {
    setTimeout(() => {
      throw new Error("broken later");
    }, 1);
    return hang();
  }
}

export function prompt({ prompt }) {
  return prompt.includes("HARM") ? { block: true, reason: "not even asked" } : undefined;
}

export function result({ result }) {
  return result.text.includes("SECRET") ? { result: "the secret was removed" } : undefined;
}
