export const guard = { deny: "no" };
export const other = () => {};
