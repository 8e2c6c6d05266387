import { HarnError, messageOf, nearest, printable } from "@hooks/core";
import { readArguments } from "./arguments.js";
import { CliError, EXIT, type Exit, usage } from "./exit.js";
import { overview, page } from "./help.js";
import { type Host, openTerminal, type Terminal } from "./terminal.js";
import { verbs } from "./verbs.js";
import { VERSION } from "./version.js";

/** Runs one command line to its exit code. Whatever goes wrong is told, with a code and a remedy. */
export async function main(args: readonly string[], host: Host): Promise<Exit> {
  const terminal = openTerminal(host);
  try {
    return await dispatch(args, terminal);
  } catch (error) {
    return report(error, terminal, args.includes("--json"));
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<Exit> {
  const [name, ...rest] = args;
  if (name === undefined) {
    terminal.talk(overview(terminal.paintTalk));
    return EXIT.usage;
  }
  if (name === "--version" || name === "-v") return show(terminal, VERSION);
  if (name === "--help" || name === "-h") return show(terminal, overview(terminal.paint));
  if (name === "help") return dispatch(rest.length === 0 ? ["--help"] : [...rest, "--help"], terminal);
  const entry = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (entry === undefined) throw unknownVerb(name);
  const { verb } = await entry.load();
  if (isHelpAsked(rest)) return show(terminal, page(verb, terminal.paint));
  try {
    return await verb.run(readArguments(name, verb, rest), terminal);
  } catch (error) {
    if (verb.refuse === undefined) throw error;
    return verb.refuse(error, terminal);
  }
}

function isHelpAsked(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

function show(terminal: Terminal, text: string): Exit {
  terminal.print(text);
  return EXIT.fine;
}

function unknownVerb(name: string): CliError {
  if (name.startsWith("-")) return usage(`harn has no flag ${name}`, "harn --help");
  const near = nearest(name, Object.keys(verbs));
  return usage(
    `there is no verb "${name}".${near === undefined ? "" : ` Did you mean "harn ${near}"?`}`,
    "harn --help",
  );
}

/** Tells what went wrong: as a line for the person, and as a document for the program that asked for one. */
function report(error: unknown, { talk, json, paintTalk, host }: Terminal, wantsJson: boolean): Exit {
  const isKnown = error instanceof CliError || error instanceof HarnError || isTapeError(error);
  const code = isKnown ? error.code : "HARN_E_INTERNAL";
  const help = isKnown ? error.help : "this is a defect of harn; please report it with the lines above";
  const message = messageOf(error);
  if (!isKnown && error instanceof Error && host.env.HARN_DEBUG) talk(printable(error.stack ?? ""));
  talk(`${paintTalk("red", `error[${code}]`)}: ${printable(message)}`);
  if (help !== undefined) talk(`${paintTalk("cyan", "help")}: ${printable(help)}`);
  if (wantsJson) json({ ok: false, error: { code, message, ...(help === undefined ? {} : { help }) } });
  if (error instanceof CliError) return error.exit;
  if (isTapeError(error)) return TAPE_DATA.includes(error.code) ? EXIT.data : EXIT.io;
  return error instanceof HarnError ? EXIT.data : EXIT.internal;
}

/** What is wrong with what is on a tape, or with what was asked of it, and not with reading or writing it. */
const TAPE_DATA: readonly string[] = ["HARN_E_TAPE_BROKEN", "HARN_E_TAPE_MASK"];

// Told by its looks: whoever needs no tape must not load what knows them.
function isTapeError(error: unknown): error is Error & { readonly code: string; readonly help?: string } {
  const { code } = error as { code?: unknown };
  return error instanceof Error && error.name === "TapeError" && typeof code === "string";
}
