import { estimateTokens } from "@hooks/core";
import type { Settings } from "./settings.js";

type Bounds = Pick<Settings, "max_chars" | "max_lines" | "max_tokens">;

/** Whether a text keeps all bounds. */
export function fits(text: string, { max_chars, max_lines, max_tokens }: Bounds): boolean {
  if (text.length > max_chars) return false;
  if (max_lines !== undefined && countLines(text) > max_lines) return false;
  return max_tokens === undefined || estimateTokens(text) <= max_tokens;
}

/** Cuts a text so that it keeps all bounds, the note about the cut included. */
export function cutText(text: string, settings: Settings, note: (dropped: number) => string): string {
  const worth = diagnostics(text, settings);
  // Where not even the note fits, nothing does.
  let best = note(text.length).slice(0, settings.max_chars);
  if (!fits(best, settings)) best = "";
  let least = 0;
  let most = Math.min(settings.max_chars, text.length);
  // More room never makes a shorter text, so the most room that still fits is found by halving.
  while (least <= most) {
    const room = (least + most) >> 1;
    const candidate = assemble(text, room, settings, worth, note);
    if (fits(candidate, settings)) {
      best = candidate;
      least = room + 1;
    } else most = room - 1;
  }
  return best;
}

interface Line {
  readonly start: number;
  readonly text: string;
}

const MAX_LINE = 400;
const MAX_KEPT = 200;

function diagnostics(text: string, { isWorthKeeping, keep_lines }: Settings): Line[] {
  if (keep_lines.length === 0) return [];
  const found: Line[] = [];
  let start = 0;
  while (start < text.length && found.length < MAX_KEPT) {
    const end = text.indexOf("\n", start) === -1 ? text.length : text.indexOf("\n", start);
    const line = wellFormed(text.slice(start, Math.min(end, start + MAX_LINE)));
    if (isWorthKeeping(line)) found.push({ start, text: line });
    start = end + 1;
  }
  return found;
}

function assemble(
  text: string,
  room: number,
  { keep }: Settings,
  worth: readonly Line[],
  note: (dropped: number) => string,
): string {
  const forLines = worth.length === 0 ? 0 : room >> 2;
  const rest = room - forLines;
  const headEnd = keep === "tail" ? 0 : lineEnd(text, keep === "head" ? rest : rest >> 1);
  const tailStart = keep === "head" ? text.length : lineStart(text, text.length - (keep === "tail" ? rest : rest >> 1));
  const kept: string[] = [];
  let used = 0;
  for (const line of worth) {
    if (line.start < headEnd || line.start >= tailStart) continue;
    used += line.text.length + 1;
    if (used > forLines) break;
    kept.push(line.text);
  }
  const between = kept.length === 0 ? "" : `${kept.join("\n")}\n`;
  const dropped = Math.max(0, tailStart - headEnd - between.length);
  const head = text.slice(0, headEnd);
  return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${note(dropped)}\n${between}${text.slice(tailStart)}`;
}

function lineEnd(text: string, most: number): number {
  const newline = text.lastIndexOf("\n", most - 1) + 1;
  return newline > most / 2 ? newline : isInsidePair(text, most) ? most - 1 : most;
}

function lineStart(text: string, least: number): number {
  const newline = text.indexOf("\n", least) + 1;
  if (newline > 0 && newline - least < (text.length - least) / 2) return newline;
  return isInsidePair(text, least) ? least + 1 : least;
}

function isInsidePair(text: string, index: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text.charAt(index)) && /[\uD800-\uDBFF]/.test(text.charAt(index - 1));
}

/** How many lines a text has; a newline at the end begins none. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

const SAMPLE = 65_536;

/** Whether a text is no text: it holds NUL, or more than a tenth of it is what no terminal would print. */
export function isBinary(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  if (sample.includes("\0")) return true;
  // An escape starts a colour, and coloured output is text.
  const strange = sample.replaceAll("\u001b", "").match(/[^\P{Cc}\t\n\v\f\r\b]|\ufffd/gu)?.length ?? 0;
  return strange > sample.length / 10;
}

/** Replaces halves of surrogate pairs, which no encoder would take. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
