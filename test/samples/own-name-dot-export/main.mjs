export const guard = () => ({ deny: "the project itself" });
