import nothing from "node:os";

export const guard = () => nothing;
