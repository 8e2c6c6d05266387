export const guard = ({ path }) => ({ body: path });
