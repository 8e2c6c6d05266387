import {
  type GivenOption,
  type OptionSpec,
  type ParsedOptions,
  readOptions,
  render,
  type SimpleCommand,
  type Word,
} from "@hooks/shell";

const PLAIN: OptionSpec = {};

/** The options and operands of a command, its own name left out. */
export function argumentsOf(command: SimpleCommand, spec: OptionSpec = PLAIN): ParsedOptions {
  return readOptions(command.argv.slice(1), spec);
}

/** Whether one of the options was given; long ones may be cut short, as GNU tools and git let one do. */
export function has(options: readonly GivenOption[], ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.some((full) => isShortFor(name, full)));
}

function isShortFor(given: string, full: string): boolean {
  if (given === full) return true;
  return given.length > 3 && full.startsWith("--") && given.startsWith("--") && full.startsWith(given);
}

/** Whether one of the options was given in full: what makes a command harmless must not be guessed. */
export function hasExactly(options: readonly GivenOption[], ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

/** Arguments as text; what is not certain is empty. */
export function textsOf(words: readonly Word[]): string[] {
  return words.map(({ text }) => text ?? "");
}

const SUBCOMMANDS =
  /^(git|docker|podman|kubectl|helm|npm|pnpm|yarn|cargo|terraform|tofu|aws|gcloud|az|gh|brew|apt|apt-get|systemctl|pip|pip3|go)$/;

/**
 * Whether a command only shows its help or its version. Of a plain program the option must stand before any operand:
 * with POSIXLY_CORRECT what comes later is an operand too.
 */
export function showsHelp({ program, argv }: SimpleCommand): boolean {
  for (let i = 1; i < argv.length; i++) {
    const text = argv[i]?.text ?? "";
    if (text === "--") return false;
    if (text === "--help" || (i === 1 && (text === "--version" || render(argv[1] as Word) === "/?"))) return true;
    if (!text.startsWith("-") && !SUBCOMMANDS.test(program ?? "")) return false;
  }
  return false;
}
