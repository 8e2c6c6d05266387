export const note = () => undefined;
