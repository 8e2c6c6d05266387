export const guard = () => ({ deny: "found" });
