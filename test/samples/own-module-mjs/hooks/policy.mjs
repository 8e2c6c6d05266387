const reason = await Promise.resolve("top-level await is done");

export const guard = () => ({ deny: reason });
