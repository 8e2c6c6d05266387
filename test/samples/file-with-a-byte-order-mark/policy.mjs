export const guard = () => ({ deny: "bom" });
