export const reject_secrets = () => {};
export const limit = 3;
