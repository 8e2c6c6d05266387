export function guard() {
  return { block: true, reason: "no" };
}

export function look() {
  return { block: true, reason: "an observer has no say" };
}
