import { printable } from "@hooks/core";
import type { Terminal } from "./terminal.js";

/** How far something is, on one line of a person's terminal. */
export interface Progress {
  /** Shows a part of one, and a few words beside it. */
  show(part: number, words: string): void;
  /** Takes the line away again. */
  clear(): void;
}

const WIDTH = 24;
const PAUSE_MS = 80;

/** Opens a progress bar on standard error; nothing is shown where nobody looks. */
export function openProgress({ host: { err } }: Terminal): Progress {
  if (err.isTTY !== true) return { show: () => {}, clear: () => {} };
  let last = 0;
  return {
    show(part, words) {
      const now = Date.now();
      if (now - last < PAUSE_MS) return;
      last = now;
      const done = Math.round(Math.min(1, Math.max(0, part)) * WIDTH);
      const line = `[${"#".repeat(done)}${"-".repeat(WIDTH - done)}] ${Math.floor(part * 100)} %  ${printable(words)}`;
      // A line that wraps would not be taken away again.
      err.write(`\r\u001b[K${line.slice(0, (err.columns ?? 80) - 1)}`);
    },
    clear: () => void err.write("\r\u001b[K"),
  };
}
