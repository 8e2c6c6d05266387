import type { Finding, Path } from "../document.js";
import type { HookEntry } from "../schema.js";
import type { Home } from "../target.js";
import { type Command, commandMistake } from "./command.js";
import { isVariableName } from "./environment.js";
import { headerMistakes, readHeader } from "./header.js";
import { scriptOf } from "./program.js";

type At = (...rest: Path) => Path;

/** Holds the command of a hook against the world. Runs nothing. */
export function checkCommand(
  entry: HookEntry,
  { root, manifest }: Home,
  at: At,
): { readonly command?: Command; readonly findings: readonly Finding[] } {
  const { command: argv, env = [], options, isolation, timeout_ms } = entry;
  if (argv === undefined) {
    const help = 'add handler = "module::export", or command = ["program", "argument"]';
    return {
      findings: [{ code: "HARN_E_KEY_MISSING", path: at(), message: "a hook needs a handler or a command", help }],
    };
  }
  // A word that is no text was reported already.
  if (argv.some((word) => typeof word !== "string")) return { findings: [] };
  const findings = [
    ...wordMistakes(argv, at),
    ...variableMistakes(env, at("env")),
    ...(options === undefined ? [] : [withoutEffect(at("options"), "a command gets no options; pass arguments")]),
    ...(isolation === undefined ? [] : [withoutEffect(at("isolation"), "a command is a process of its own already")]),
  ];
  if (findings.some(({ severity }) => severity !== "warning")) return { findings };
  const { strict = false, env: everywhere = [] } = manifest.policy ?? {};
  const command = commandIn(root, argv, [...everywhere, ...env], timeout_ms);
  findings.push(...headerFindings(argv, root, entry.event, at("command")));
  const mistake = commandMistake(command);
  if (mistake === undefined) return { command, findings };
  const { message, help } = mistake;
  const severity = strict ? "error" : "warning";
  return {
    command,
    findings: [...findings, { code: "HARN_W_NOT_RUNNABLE", severity, path: at("command", 0), message, help }],
  };
}

/** Where a script says another event of itself than the one it is declared for; its name and pattern are the manifest's. */
function headerFindings(argv: readonly string[], root: string, on: string | undefined, path: Path): Finding[] {
  const file = scriptOf(argv, root);
  if (file === undefined || on === undefined || on === "*") return [];
  const { event } = readHeader(file);
  if (event === undefined) return [];
  const [program = "", first = ""] = argv;
  const script = program.includes("/") ? program : first;
  return headerMistakes({ event }, { script, event: on }).map((message) => {
    return { code: "HARN_W_HEADER", severity: "warning", path, message, help: "correct one of the two" };
  });
}

/** A command of a project: it starts in the directory of the manifest, whatever the agent's working directory is. */
export function commandIn(
  root: string,
  argv: readonly string[],
  env: readonly string[],
  timeout_ms: number | undefined,
): Command {
  return { argv, cwd: root, env, variables: {}, timeout_ms };
}

function wordMistakes(argv: readonly string[], at: At): Finding[] {
  return argv.flatMap((word, index): Finding[] => {
    const isEmptyProgram = index === 0 && word.trim() === "";
    if (!isEmptyProgram && !word.includes("\0")) return [];
    const message = isEmptyProgram ? "the program of a command has no name" : "an argument cannot hold a NUL character";
    return [{ code: "HARN_E_KEY_TYPE", path: at("command", index), message, help: 'write ["program", "argument"]' }];
  });
}

/** What is no name of an environment variable among those a manifest lists. */
export function variableMistakes(names: readonly string[] | undefined, path: Path): Finding[] {
  return (names ?? []).flatMap((name, index): Finding[] => {
    if (typeof name !== "string" || isVariableName(name)) return [];
    const help = "list names; their values come from the environment";
    return [{ code: "HARN_E_KEY_TYPE", path: [...path, index], message: `"${name}" is no name of a variable`, help }];
  });
}

export function withoutEffect(path: Path, why: string): Finding {
  return { code: "HARN_W_NO_EFFECT", severity: "warning", path, atKey: true, message: why, help: "take it out" };
}
