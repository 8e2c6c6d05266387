export const guard = () => {};
