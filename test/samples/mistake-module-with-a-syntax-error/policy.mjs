export const guard = () => 1; // HERE
