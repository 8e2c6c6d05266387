export const guard = () => ({ deny: "workspace" });
