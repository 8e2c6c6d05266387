export const guard = () => ({ deny: `require is ${typeof require}` });
