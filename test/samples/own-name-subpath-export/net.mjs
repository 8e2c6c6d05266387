export const guard = () => ({ deny: "a part of the project" });
