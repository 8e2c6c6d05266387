import { createRedactor, type Redactor, type SecretPattern } from "@hooks/secrets";
import { RE2JS } from "re2js";

interface Options {
  readonly max_chars: number;
  readonly max_lines?: number;
  readonly max_tokens?: number;
  readonly keep: "head" | "tail" | "both";
  readonly keep_lines: readonly string[];
  readonly redact: boolean;
  readonly disable_detectors: readonly string[];
  readonly patterns: readonly SecretPattern[];
  readonly allow: readonly string[];
  readonly spill: boolean;
  readonly spill_dir?: string;
  readonly spill_files: number;
}

/** The options of a hook, compiled. */
export interface Settings extends Options {
  readonly redactor: Redactor;
  readonly isWorthKeeping: (line: string) => boolean;
}

const DEFAULTS: Options = {
  max_chars: 30_000,
  keep: "both",
  keep_lines: ["(?i)\\b(error|fatal|panic|exception|traceback|failed|failure|segfault|assertion|denied)\\b"],
  redact: true,
  disable_detectors: [],
  patterns: [],
  allow: [],
  spill: true,
  spill_files: 100,
};

const NOTHING: Redactor = {
  find: () => [],
  isSuspect: () => false,
  text: (text) => ({ text, found: new Map() }),
  json: (value) => ({ value, found: new Map() }),
};

const bySource = new Map<string, Settings>();

/** Compiles options once. In a worker each call brings a copy of them, so they are known by what they say. */
export function settingsOf(options: unknown): Settings {
  const source = JSON.stringify(options ?? {});
  const known = bySource.get(source) ?? compile({ ...DEFAULTS, ...(options as Partial<Options> | undefined) });
  bySource.set(source, known);
  return known;
}

function compile(options: Options): Settings {
  const { disable_detectors: disable, patterns, allow } = options;
  const lines = options.keep_lines.map((source) => RE2JS.compile(source));
  return {
    ...options,
    redactor: options.redact ? createRedactor({ disable, patterns, allow }) : NOTHING,
    isWorthKeeping: (line) => lines.some((regex) => regex.matcher(line).find()),
  };
}
