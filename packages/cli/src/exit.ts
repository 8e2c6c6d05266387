/** What the command line ends with. 2 is kept for a block in the hook protocol of agents, and used by nothing here. */
export const EXIT = {
  /** All is well. */
  fine: 0,
  /** The command worked, and found something: a failing test, a warning, a verdict that changed. */
  findings: 1,
  /** The command was not understood. */
  usage: 64,
  /** The manifest, or what came in, cannot be used. */
  data: 65,
  /** A defect of Harn itself. */
  internal: 70,
  /** A tape or another file cannot be read or written. */
  io: 74,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Every code the command line itself raises, with the fact it stands for. */
export const cliCodes = {
  HARN_E_USAGE: "The command line was not understood: a verb, a flag or a value.",
  HARN_E_INPUT: "What came in on standard input or in a file cannot be read as an event.",
  HARN_E_TEST_FILE: "A table test cannot be read, or there is none.",
  HARN_E_INTERNAL: "A defect of Harn itself.",
} as const;

export type CliCode = keyof typeof cliCodes;

/** Why a command could not do its work: a fact, a remedy, and what to exit with. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    readonly code: CliCode,
    readonly exit: Exit,
    message: string,
    readonly help?: string,
  ) {
    super(message);
  }
}

export function usage(message: string, help?: string): CliError {
  return new CliError("HARN_E_USAGE", EXIT.usage, message, help);
}
