export function guard() {
  throw new Error("broken");
}
