export const guard = () => false;
