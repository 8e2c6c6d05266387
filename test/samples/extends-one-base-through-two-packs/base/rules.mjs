export const guard = () => ({ block: true, reason: "the pack says no" });
export const note = () => undefined;
