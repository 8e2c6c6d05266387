export const guard = () => ({ deny: "the root's" });
