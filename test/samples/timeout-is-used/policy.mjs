export const guard = () => new Promise(() => {});
