const limit: number = 3;

export const guard = (): number => limit; // HERE
