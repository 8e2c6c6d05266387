export const guard = () => ({ deny: "managed" });
