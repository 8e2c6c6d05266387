export const guard = () => ({ deny: "not this one" });
