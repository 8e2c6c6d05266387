export function audit() {}

export function guard({ tool }, { options }) {
  const command = String(tool.args.command);
  if (command.includes("shutdown")) return { block: true, reason: "not on this machine" };
  if (command.startsWith("git push")) return { effect: "ask", reason: "this leaves the machine" };
  if (command === "npm i") return { args: { command: "npm ci" } };
  if (command === "throw") throw new Error("out of order");
  if (options?.deny?.some((word) => command.includes(word))) return { deny: "denied by option" };
}

export function greet() {
  return { body: "Be careful." };
}

export function veto() {
  return { block: true, reason: "in vain" };
}
