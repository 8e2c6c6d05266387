export const guard = () => ({ deny: "named" });
