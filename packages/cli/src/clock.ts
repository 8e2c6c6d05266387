/**
 * Milliseconds since the process started, which is where a tape counts from. Asking for `performance` the first time
 * loads a module; this is the same clock.
 */
export function now(): number {
  return process.uptime() * 1e3;
}

/** When that moment was, in milliseconds since 1970: what tapes have to know to tell the time. */
export function clockOrigin(): number {
  return Date.now() - now();
}
