export const guard = () => ({ deny: "net" });
