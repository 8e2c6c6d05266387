export const guard = (_payload, { options }) => ({ deny: JSON.stringify(options) });
