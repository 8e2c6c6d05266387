export function guard() {}
