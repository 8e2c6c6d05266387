export const guard = (_payload, { options }) => ({ deny: `options: ${JSON.stringify(options)}` });
