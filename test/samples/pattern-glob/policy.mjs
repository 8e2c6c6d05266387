export const guard = () => ({ deny: "matched" });
