export function refuse({ tool }) {
  return { block: true, reason: `no ${tool.args.command.split(" ")[0]} from a worker` };
}
