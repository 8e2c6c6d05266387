export const guard = ({ event }) => ({ deny: event });
