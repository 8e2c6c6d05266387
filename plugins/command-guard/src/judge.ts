import { type Analysis, analyse, literal, type Reason, render, type SimpleCommand, type Word } from "@hooks/shell";
import { showsHelp } from "./arguments.js";
import { isLocalScript, printsEnvironment } from "./known-scripts.js";
import { lineOf } from "./line.js";
import type { Mode, Rule } from "./rule.js";
import { Scene } from "./scene.js";
import type { ActiveRule, Settings } from "./settings.js";
import { hasShape, isExactly } from "./shape.js";
import type { Dialect } from "./tools.js";
import { mayStart } from "./unknown-programs.js";
import { type Reading, readWindows } from "./windows/read.js";

/** Something a rule, a list or a limit has to say about a command. */
export interface Finding {
  /** The rule's id; `deny` for the list in the options, `indeterminate` for what cannot be followed. */
  readonly id: string;
  readonly mode: Mode;
  /** The command it is about, as it would run. */
  readonly line: string;
  /** What was found in it. */
  readonly detail: string;
  readonly rule: Rule | null;
}

export interface Judgement {
  readonly verdict: "allow" | Mode;
  /** What decided; undefined where nothing was found. */
  readonly decisive: Finding | undefined;
  readonly findings: readonly Finding[];
  /** Findings that an entry of the allow list took back, with its reason, and entries that would have but are expired. */
  readonly allowed: readonly { readonly finding: Finding; readonly reason: string; readonly expired: boolean }[];
  readonly commands: readonly SimpleCommand[];
  readonly indeterminate: readonly Reason[];
}

export interface Question {
  readonly text: string;
  readonly dialect: Dialect;
  readonly cwd?: string | undefined;
  /** Today, as `2026-11-18`. */
  readonly today: string;
}

const PWD: Word = { pieces: [{ kind: "variable", name: "PWD", required: true }], text: null };
const RANK: Readonly<Record<Mode, number>> = { block: 3, ask: 2, warn: 1 };

/** After so many findings, one of which nothing can take back, the others change nothing. */
const MOST_FINDINGS = 100;

/** Each of them is analysed as a command of its own. */
const MOST_DOUBTS = 8;

/** Judges one command: every simple command in it by every rule that is on. */
export function judge({ text, dialect, cwd, today }: Question, settings: Settings): Judgement {
  const analysis =
    dialect === "posix"
      ? withWindows(analyse(text, { ...(cwd === undefined ? {} : { cwd }), variables: settings.variables }))
      : readWindows(text, dialect, cwd === undefined ? PWD : literal(cwd.replaceAll("\\", "/")));
  const scene = new Scene(settings, analysis, cwd, text);
  const all: { finding: Finding; command: SimpleCommand | null }[] = [];
  const { commands } = analysis;
  const unsure = [...analysis.indeterminate];
  let doubts = 0;
  for (const command of commands) {
    if (all.length > MOST_FINDINGS && all.some(({ finding }) => finding.rule?.severity === "catastrophic")) break;
    for (const finding of findingsIn(command, scene)) all.push({ finding, command });
    const started = doubts > MOST_DOUBTS ? null : mayStart(command);
    if (started === null) continue;
    doubts++;
    for (const inner of started.commands)
      for (const finding of findingsIn(inner, scene)) all.push({ finding: doubted(finding), command: inner });
    unsure.push(...started.indeterminate);
  }
  if (doubts > MOST_DOUBTS)
    unsure.push({ code: "too-large", detail: `more than ${MOST_DOUBTS} programs that may run their words`, from: [] });
  for (const { rule, mode } of settings.whole) {
    const detail = rule.whole?.(scene) ?? null;
    if (detail !== null) all.push({ finding: { id: rule.id, mode, line: "", detail, rule }, command: null });
  }
  for (const reason of unsure) {
    if (isHarmless(reason) || all.some(({ finding }) => explains(finding, reason))) continue;
    const detail = reason.detail;
    all.push({
      finding: { id: "indeterminate", mode: settings.indeterminate, line: "", detail, rule: null },
      command: null,
    });
  }
  const findings: Finding[] = [];
  const allowed: { finding: Finding; reason: string; expired: boolean }[] = [];
  for (const { finding, command } of all) {
    const entry =
      command === null || finding.rule?.severity === "catastrophic" || finding.id === "deny"
        ? undefined
        : settings.allow.find(({ shape, isOpenEnded }) => isExactly(command, shape, isOpenEnded));
    const expired = entry !== undefined && entry.expires < today;
    if (entry !== undefined) allowed.push({ finding, reason: entry.reason, expired });
    if (entry === undefined || expired) findings.push(finding);
  }
  const decisive = findings.reduce<Finding | undefined>(
    (worst, one) => (worst === undefined || weight(one) > weight(worst) ? one : worst),
    undefined,
  );
  return {
    verdict: decisive?.mode ?? "allow",
    decisive,
    findings,
    allowed,
    commands,
    indeterminate: unsure,
  };
}

/** A block before a question before a warning; among equals what has a rule, and the worst of those. */
function weight({ mode, rule }: Finding): number {
  return (
    RANK[mode] * 10 + (rule === null ? 0 : rule.severity === "catastrophic" ? 3 : rule.severity === "high" ? 2 : 1)
  );
}

function findingsIn(command: SimpleCommand, scene: Scene): Finding[] {
  const { settings } = scene;
  const found: Finding[] = [];
  const add = (id: string, mode: Mode, detail: string, rule: Rule | null) =>
    found.push({ id, mode, line: lineOf(command), detail, rule });
  for (const { text, shape } of settings.deny)
    if (hasShape(command, shape)) add("deny", "block", `"${text}" of the deny list`, null);
  if (command.program !== null && showsHelp(command)) return found;
  const own = command.program === null ? undefined : settings.byProgram.get(command.program);
  const test = ({ rule, mode }: ActiveRule) => {
    const detail = rule.test(command, scene);
    if (detail !== null) add(rule.id, mode, detail, rule);
  };
  for (const { when, rules } of settings.anyProgram) if (when === undefined || when(command)) rules.forEach(test);
  own?.forEach(test);
  return found;
}

/** Nobody knows that the program runs its words: worth a question, and where a machine is at stake a stop. */
function doubted(finding: Finding): Finding {
  return finding.mode === "block" && finding.rule?.severity !== "catastrophic" ? { ...finding, mode: "ask" } : finding;
}

/** Whether a finding says more about a reason than the reason itself. */
function explains({ rule }: Finding, { code }: Reason): boolean {
  return code === "unknown-script" && rule?.id === "network-to-shell";
}

function isHarmless(reason: Reason): boolean {
  return (
    reason.code === "unknown-script" &&
    reason.from.length > 0 &&
    (printsEnvironment(reason.from) || isLocalScript(reason.from))
  );
}

/** Programs of Windows alone, which somebody may name to a POSIX shell. */
const WINDOWS_ONLY = /^(icacls|takeown|robocopy|rd|del|erase|format|attrib|cacls|cipher)$/;

/** A POSIX shell takes the backslash of `C:\ /t` for an escaped space; whoever wrote it meant two words. */
function asMeant(command: SimpleCommand): SimpleCommand {
  const { program, argv } = command;
  if (program === null || !WINDOWS_ONLY.test(program) || !argv.some(({ text }) => text?.includes(" /"))) return command;
  return {
    ...command,
    argv: argv.flatMap((word) => (word.text === null ? [word] : word.text.split(/\s+/).map(literal))),
  };
}

/** An analysis with what the PowerShell and cmd texts in it run. */
function withWindows(given: Analysis): Analysis {
  const analysis = given.commands.some(({ program }) => program !== null && WINDOWS_ONLY.test(program))
    ? { ...given, commands: given.commands.map(asMeant) }
    : given;
  const readings = analysis.commands.flatMap((command): [SimpleCommand, Reading][] => {
    const { code, cwd } = command;
    return code?.language === "powershell" || code?.language === "cmd"
      ? [[command, readWindows(render(code.source), code.language, cwd)]]
      : [];
  });
  if (readings.length === 0) return analysis;
  const inside = new Map(readings);
  return {
    commands: analysis.commands.flatMap((command) => [command, ...(inside.get(command)?.commands ?? [])]),
    indeterminate: [...analysis.indeterminate, ...readings.flatMap(([, reading]) => reading.indeterminate)],
    recursive: [...analysis.recursive, ...readings.flatMap(([, reading]) => reading.recursive)],
  };
}
