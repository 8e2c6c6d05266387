export const guard = () => ({ deny: "the nearest" });
