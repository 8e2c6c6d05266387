/** Milliseconds since some moment. Asking for `performance` the first time loads a module; the clock below it is at hand. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
