/** Milliseconds since some moment. Asking for `performance` the first time loads a module; the clock below it is at hand. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** When that moment was, in milliseconds since 1970: what tapes have to know to tell the time. */
export function clockOrigin(): number {
  return Date.now() - now();
}
