/** What the command line ends with. */
export const EXIT = {
  /** All is well. */
  fine: 0,
  /** The command worked, and found something: a failing test, a warning, a verdict that changed. */
  findings: 1,
  /** A veto in the hook protocol of agents: `harn hook` refuses. Nothing else ends with it. */
  block: 2,
  /** The command was not understood. */
  usage: 64,
  /** The manifest, or what came in, cannot be used. */
  data: 65,
  /** A defect of Harn itself. */
  internal: 70,
  /** A tape or another file cannot be read or written. */
  io: 74,
  /** What would run was not trusted, or is not what was locked. */
  untrusted: 77,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Every code the command line itself raises, with the fact it stands for. */
export const cliCodes = {
  HARN_E_USAGE: "The command line was not understood: a verb, a flag or a value.",
  HARN_E_INPUT: "What came in on standard input or in a file cannot be read as an event.",
  HARN_E_TEST_FILE: "A table test cannot be read, or there is none.",
  HARN_E_FILE_READ: "A file the command needs cannot be read.",
  HARN_E_FILE_WRITE: "A file cannot be written; what was there is untouched.",
  HARN_E_INSTALL: "The package manager failed to install or remove a package.",
  HARN_E_SCOPE: "A package would go to, or come from, another registry than the one its scope belongs to.",
  HARN_E_NOT_A_HOOK: "A package brings neither hooks nor a policy.",
  HARN_E_NOT_DECLARED: "What should be taken out of the manifest is not in it.",
  HARN_E_EXISTS: "Something is in the way of what should be made.",
  HARN_E_AGENT_SETTINGS: "The settings of an agent cannot be read, so nothing can be added to them.",
  HARN_E_SERVER: "A server cannot be started: there is one already, or its port is taken.",
  HARN_E_ENDED: "A hook ended the process, or failed where nobody could catch it.",
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
