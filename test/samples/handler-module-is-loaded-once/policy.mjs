let calls = 0;

export const first = () => {
  calls += 1;
};

export const second = () => ({ deny: `${calls} before me` });
