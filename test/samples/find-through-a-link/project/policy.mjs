export const guard = () => ({ deny: "the link's directory counts" });
