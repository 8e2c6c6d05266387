const note = (body) => () => ({ body });

export const [a, b, c, d] = ["a", "b", "c", "d"].map(note);
