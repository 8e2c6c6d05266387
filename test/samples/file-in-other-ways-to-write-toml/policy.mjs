export const guard = () => ({ deny: "inline" });
