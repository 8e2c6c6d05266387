import { render } from "@hooks/shell";
import { sentenceOf } from "./answer.js";
import { judge, type Question } from "./judge.js";
import { lineOf } from "./line.js";
import { GROUPS, type Group } from "./rule.js";
import { type GuardOptions, settingsOf } from "./settings.js";
import type { Dialect } from "./tools.js";

export interface Explanation {
  readonly verdict: "allow" | "ask" | "block" | "warn";
  /** What the agent would hear; empty for an allow. */
  readonly reason: string;
  /** The id of the rule that decided; null for an allow. */
  readonly rule: string | null;
  /** The parse: every simple command that would run. */
  readonly commands: readonly {
    readonly line: string;
    readonly cwd: string;
    readonly wrappers: readonly string[];
    readonly via: readonly string[];
    readonly elsewhere: string | null;
  }[];
  readonly findings: readonly {
    readonly rule: string;
    readonly mode: string;
    readonly line: string;
    readonly detail: string;
  }[];
  readonly allowed: readonly { readonly rule: string; readonly reason: string; readonly expired: boolean }[];
  readonly indeterminate: readonly { readonly code: string; readonly detail: string }[];
  /** What rules of groups that are off would have found, where that was asked for. */
  readonly off: readonly { readonly rule: string; readonly group: Group; readonly line: string }[];
}

export interface ExplainOptions extends GuardOptions {
  readonly cwd?: string;
  readonly dialect?: Dialect;
  /** Whether to look also for what rules of groups that are off would find. */
  readonly with_off?: boolean;
}

/**
 * Shows what the guard makes of a command: what it would run, and the rule that decides.
 *
 * @example
 * explain("cd /tmp && sh -c 'rm -rf ~'").rule // "delete-home"
 */
export function explain(
  command: string,
  { cwd, dialect = "posix", with_off = false, ...options }: ExplainOptions = {},
): Explanation {
  const question = { text: command, dialect, cwd, today: today() };
  const judgement = judge(question, settingsOf(options));
  const { verdict, decisive, findings, allowed, commands, indeterminate } = judgement;
  return {
    verdict,
    reason: sentenceOf(judgement),
    rule: decisive?.id ?? null,
    commands: commands
      .filter(({ argv }) => argv.length > 0)
      .map((one) => ({
        line: lineOf(one),
        cwd: render(one.cwd),
        wrappers: one.wrappers,
        via: one.via,
        elsewhere: one.elsewhere,
      })),
    findings: findings.map(({ id, mode, line, detail }) => ({ rule: id, mode, line, detail })),
    allowed: allowed.map(({ finding, reason, expired }) => ({ rule: finding.id, reason, expired })),
    indeterminate: indeterminate.map(({ code, detail }) => ({ code, detail })),
    off: with_off ? foundWhenOn(question, options) : [],
  };
}

/** What the groups that are off would find if they were on. */
function foundWhenOn(question: Question, options: GuardOptions): Explanation["off"] {
  const { groups = {} } = options;
  const isOff = (group: Group) => (groups[group] ?? (GROUPS[group] ? "on" : "off")) === "off";
  const on = Object.fromEntries((Object.keys(GROUPS) as Group[]).filter(isOff).map((group) => [group, "on"]));
  const { findings } = judge(question, settingsOf({ ...options, groups: { ...groups, ...on } }));
  return findings.flatMap(({ rule, line }) =>
    rule !== null && Object.hasOwn(on, rule.group) && rule.severity !== "catastrophic"
      ? [{ rule: rule.id, group: rule.group, line }]
      : [],
  );
}

/** The day it is, for the allow list. Nothing else here looks at a clock. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** An explanation for a person to read. */
export function explanationText(command: string, explanation: Explanation): string {
  const { verdict, rule, reason, commands, findings, allowed, indeterminate, off } = explanation;
  const lines = [`${verdict}${rule === null ? "" : ` by ${rule}`}: ${command}`];
  if (reason !== "") lines.push(reason);
  lines.push("", "what would run:");
  for (const { line, cwd, wrappers, via, elsewhere } of commands) {
    const context = [...via, ...wrappers, ...(elsewhere === null ? [] : [`on ${elsewhere}`])].join(" > ");
    lines.push(`  ${line}${context === "" ? "" : `   [${context}]`}${cwd === "$PWD" ? "" : `   in ${cwd}`}`);
  }
  if (commands.length === 0) lines.push("  nothing");
  for (const { code, detail } of indeterminate) lines.push(`  ? ${code}: ${detail}`);
  if (findings.length > 0) lines.push("", "what was found:");
  for (const finding of findings) lines.push(`  ${finding.mode.padEnd(6)}${finding.rule}: ${finding.detail}`);
  for (const entry of allowed) lines.push(`  ${entry.expired ? "expired" : "allowed"} ${entry.rule}: ${entry.reason}`);
  for (const { rule, group, line } of off) lines.push(`  off   ${rule}: ${line}   (the group "${group}" is off)`);
  return lines.join("\n");
}
