import { createReadStream } from "node:fs";
import { printable } from "@hooks/core";

/** What the command line needs from the process it runs in. */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  stdin(): AsyncIterable<Uint8Array>;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof STYLES;
export type Paint = (style: Style, text: string) => string;

/** Where a verb writes: data to standard output, talk to standard error. */
export interface Terminal {
  readonly host: Host;
  /** Writes a line of data. */
  print(line: string): void;
  /** Writes a line of JSON. */
  json(value: unknown): void;
  /** Writes a line for the person, which no program reads. */
  talk(line: string): void;
  /** Colours for standard output, or none. */
  readonly paint: Paint;
  /** Colours for standard error, or none. */
  readonly paintTalk: Paint;
}

export function openTerminal(host: Host): Terminal {
  return {
    host,
    print: (line) => void host.out.write(`${line}\n`),
    json: (value) => void host.out.write(`${JSON.stringify(value)}\n`),
    talk: (line) => void host.err.write(`${line}\n`),
    paint: painter(hasColour(host, host.out)),
    paintTalk: painter(hasColour(host, host.err)),
  };
}

/** FORCE_COLOR has the last word, then NO_COLOR, then whether a person is looking. */
function hasColour({ env }: Host, output: Output): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  return !none && output.isTTY === true && term !== "dumb";
}

function painter(isColoured: boolean): Paint {
  return (style, text) => {
    const shown = printable(text);
    if (!isColoured) return shown;
    const [on, off] = STYLES[style];
    return `\u001b[${on}m${shown}\u001b[${off}m`;
  };
}

/** The host of the real command. */
export function processHost(): Host {
  const { stdout, stderr, stdin, env } = process;
  return {
    cwd: process.cwd(),
    env,
    out: stdout,
    err: stderr,
    get isInteractive() {
      return stdin.isTTY === true && stderr.isTTY === true;
    },
    // Reading the descriptor itself starts faster than process.stdin, and gives each line as soon as it is written.
    stdin: () => createReadStream("", { fd: 0, autoClose: false, highWaterMark: 1 << 16 }),
  };
}
