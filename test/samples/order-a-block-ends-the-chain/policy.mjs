export const note = () => ({ body: "never said" });

export const guard = () => ({ deny: "no" });
