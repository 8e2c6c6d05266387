import { fstatSync, read, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { printable } from "@hooks/core";
import { end } from "./ending.js";
import { EXIT } from "./exit.js";

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
    paint: painter(() => hasColour(host, host.out)),
    paintTalk: painter(() => hasColour(host, host.err)),
  };
}

/** FORCE_COLOR has the last word, then NO_COLOR, then whether a person is looking. */
function hasColour({ env }: Host, output: Output): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  return !none && output.isTTY === true && term !== "dumb";
}

function painter(wantsColour: () => boolean): Paint {
  let isColoured: boolean | undefined;
  return (style, text) => {
    const shown = printable(text);
    isColoured ??= wantsColour();
    if (!isColoured) return shown;
    const [on, off] = STYLES[style];
    return `\u001b[${on}m${shown}\u001b[${off}m`;
  };
}

/** The host of the real command. It goes to the descriptors themselves: Node's streams take longer to start than a verb. */
export function processHost(): Host {
  return {
    cwd: process.cwd(),
    env: process.env,
    out: descriptor(1),
    err: descriptor(2),
    get isInteractive() {
      return isTerminal(0) && isTerminal(2);
    },
    stdin: () => readDescriptor(0),
  };
}

function isTerminal(fd: number): boolean {
  try {
    // Only what may be one is worth loading the module that knows.
    return fstatSync(fd).isCharacterDevice() && isatty(fd);
  } catch {
    return false;
  }
}

/** An open descriptor to write to. */
export function descriptor(fd: number): Output {
  return {
    get isTTY() {
      return isTerminal(fd);
    },
    write: (text) => writeAll(fd, Buffer.from(text)),
  };
}

/** Writes to the last byte, also where a slow reader has set the pipe to answer "try again". */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A reader that has seen enough, such as `head`, is no failure of ours; what was decided by then stands.
      if (code === "EPIPE") end(process.exitCode === undefined ? EXIT.fine : undefined);
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

const CHUNK = 1 << 16;
const RETRY_MS = 5;

async function* readDescriptor(fd: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const size = await new Promise<number>((resolve, reject) => {
      const attempt = () =>
        read(fd, chunk, 0, CHUNK, null, (error, length) => {
          if (error === null) resolve(length);
          // A terminal that somebody else set to answer "try again".
          else if (error.code === "EAGAIN") setTimeout(attempt, RETRY_MS);
          else if (error.code === "EOF") resolve(0);
          else reject(error);
        });
      attempt();
    });
    if (size === 0) return;
    yield chunk.subarray(0, size);
  }
}
