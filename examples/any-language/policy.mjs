export function guard({ tool }) {
  const { command } = tool.args;
  if (command.includes("rm -rf")) return { block: true, reason: "nothing is deleted here" };
  if (command === "npm install") return { args: { ...tool.args, command: "npm ci" } };
}
