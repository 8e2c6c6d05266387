export const reason: string = "said next door";
