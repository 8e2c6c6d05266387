import { estimateTokens } from "@hooks/core";
import type { Settings } from "./settings.js";
import { countLines } from "./text.js";

/** How much several texts are together, and how often the bound that is met first goes into it. */
export interface Total {
  readonly chars: number;
  readonly lines: number;
  readonly tokens: number;
  readonly most: number;
}

export function measure(texts: readonly string[], { max_chars, max_lines, max_tokens }: Settings): Total {
  const sum = (of: (text: string) => number) => texts.reduce((all, text) => all + of(text), 0);
  const chars = sum((text) => text.length);
  const lines = max_lines === undefined ? 0 : sum(countLines);
  const tokens = max_tokens === undefined ? 0 : sum(estimateTokens);
  const most = Math.max(chars / max_chars, lines / (max_lines ?? 1), tokens / (max_tokens ?? 1));
  return { chars, lines, tokens, most };
}

/** The bounds of one text among several, in proportion to it. */
export function shareOf(text: string, settings: Settings, total: Total): Settings {
  const part = (own: number, all: number, bound: number) => (all <= bound ? bound : Math.floor((own / all) * bound));
  const { max_chars, max_lines, max_tokens } = settings;
  return {
    ...settings,
    max_chars: part(text.length, total.chars, max_chars),
    ...(max_lines === undefined ? {} : { max_lines: part(countLines(text), total.lines, max_lines) }),
    ...(max_tokens === undefined ? {} : { max_tokens: part(estimateTokens(text), total.tokens, max_tokens) }),
  };
}
