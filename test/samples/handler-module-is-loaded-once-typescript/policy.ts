let calls = 0;

export const first = (): void => {
  calls += 1;
};

export const second = (): { deny: string } => ({ deny: `${calls} before me` });
