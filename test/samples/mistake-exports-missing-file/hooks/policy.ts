export const guard = (): void => {};
