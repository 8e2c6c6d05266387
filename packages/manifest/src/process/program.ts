import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, resolve } from "node:path";

/** Why a program cannot be run, and what to do about it. */
export interface NotRunnable {
  readonly message: string;
  readonly help: string;
}

/** Where a program is looked for. */
export interface Surroundings {
  readonly cwd: string;
  /** The PATH it will have. */
  readonly path: string;
}

/**
 * The file a program's name stands for, or why it cannot be run. A system that is asked to run what it cannot says so
 * in too few words, or hands a file without a `#!` line to a shell: so everything is looked at first.
 */
function findProgram(name: string, surroundings: Surroundings): string | NotRunnable {
  if (!name.includes("/")) return onPath(name, surroundings) ?? missing(name);
  const file = resolve(surroundings.cwd, name);
  return mistakeOf(file, name, surroundings) ?? file;
}

/** The first file of this name in the directories of PATH that can be run. */
function onPath(name: string, { path }: Surroundings): string | undefined {
  for (const directory of path.split(delimiter)) {
    // An entry that is empty or relative is whatever directory somebody happens to be in, and holds whatever is there.
    if (!isAbsolute(directory)) continue;
    const file = join(directory, name);
    if (statsOf(file)?.isFile() === true && isExecutable(file)) return file;
  }
  return undefined;
}

function missing(name: string): NotRunnable {
  const message = `there is no program ${JSON.stringify(name)} on PATH`;
  return { message, help: asLine(name) ?? `install ${name}, or name a file: ./${name}` };
}

function notThere(name: string): NotRunnable {
  const help = asLine(name) ?? "correct the path; it starts from the directory of harn.toml";
  return { message: `${name} does not exist`, help };
}

/** What to do about a name that is a whole command line. */
function asLine(name: string): string | undefined {
  const words = name.trim().split(/\s+/);
  if (words.length === 1) return undefined;
  return `write the program and its arguments apart: [${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function mistakeOf(file: string, name: string, surroundings: Surroundings): NotRunnable | undefined {
  const stats = statsOf(file);
  if (stats === undefined) return notThere(name);
  if (!stats.isFile()) return { message: `${name} is no file`, help: "name the program itself" };
  if (!isExecutable(file)) return { message: `${name} is not executable`, help: `chmod +x ${name}` };
  const head = headOf(file);
  if (head === undefined || isBinary(head)) return undefined;
  if (!head.toString("latin1").startsWith("#!")) {
    const help = "start it with a line such as #!/usr/bin/env node, or name the program that runs it";
    return { message: `${name} has no #! line that says what runs it`, help };
  }
  return interpreterMistake(head.toString("utf8"), name, surroundings);
}

function interpreterMistake(head: string, name: string, surroundings: Surroundings): NotRunnable | undefined {
  const line = head.slice(2).split("\n")[0] ?? "";
  if (line.endsWith("\r")) {
    const help = "save the file with line ends of Unix";
    return { message: `the #! line of ${name} ends with a carriage return, which no interpreter's name does`, help };
  }
  const [interpreter = "", ...words] = line.trim().split(/\s+/);
  const help = `install it, or correct the first line of ${name}`;
  if (!interpreter.startsWith("/") || statsOf(interpreter) === undefined) {
    return { message: `the interpreter of ${name}, ${interpreter || "none"}, does not exist`, help };
  }
  if (basename(interpreter) !== "env") return undefined;
  // With options that have words of their own, which of them is the program is for env to say.
  if (
    words.some((word) => word.startsWith("-") && !/^(?:-|-S|-i|-v|--split-string|--ignore-environment)$/.test(word))
  ) {
    return undefined;
  }
  const wanted = words.find((word) => !word.startsWith("-") && !word.includes("="));
  if (wanted === undefined || wanted.includes("/") || onPath(wanted, surroundings) !== undefined) return undefined;
  return { message: `the interpreter of ${name}, ${wanted}, is not on PATH`, help };
}

const MAGIC = ["7f454c46", "feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe", "4d5a"];

function isBinary(head: Buffer): boolean {
  const start = head.toString("hex", 0, 4);
  return MAGIC.some((magic) => start.startsWith(magic));
}

const HEAD_BYTES = 256;

/** How a file begins; undefined where it may be run and not read. */
function headOf(file: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The script of a command such as `python3 hooks/check.py`, or of one that is a script itself. */
export function scriptOf([program = "", first = ""]: readonly string[], cwd: string): string | undefined {
  if (program.includes("/")) return resolve(cwd, program);
  return INTERPRETERS.test(program) && /^[^-].*[./]/.test(first) ? resolve(cwd, first) : undefined;
}

const INTERPRETERS = /^(?:python[\d.]*|node|bun|tsx|ts-node|bash|sh|zsh|dash|ruby|perl|php|lua)$/;

/** The file of a command's program, or why it cannot be run: its program, or the script it is to run, which an interpreter would miss in its own words. */
export function findCommand(argv: readonly string[], surroundings: Surroundings): string | NotRunnable {
  const [program = "", script = ""] = argv;
  const file = findProgram(program, surroundings);
  if (typeof file !== "string" || program.includes("/")) return file;
  const own = scriptOf(argv, surroundings.cwd);
  return own === undefined || statsOf(own) !== undefined ? file : notThere(script);
}
