throw new Error("it ran");
export const guard = () => undefined;
