export const guard = () => undefined;
