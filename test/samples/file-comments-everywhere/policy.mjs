export const guard = () => ({ deny: "#" });
