export const guard = () => ({ deny: "own" });
