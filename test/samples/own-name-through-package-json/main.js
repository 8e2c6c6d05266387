export const guard = () => ({ body: "main" });
