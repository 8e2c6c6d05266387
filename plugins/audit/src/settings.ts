import { homedir } from "node:os";
import { join } from "node:path";
import { createRedactor, type SecretPattern } from "@hooks/secrets";
import { type Filter, filterOf } from "./filter.js";
import { type Format, formats } from "./formats.js";

interface Options {
  readonly format: keyof typeof formats;
  readonly path?: string;
  readonly endpoint?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sync: "always" | "never";
  readonly max_bytes: number;
  readonly max_age_hours?: number;
  readonly max_files: number;
  readonly events: "all" | "decisions";
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
  readonly mask: readonly string[];
  readonly redact: boolean;
  readonly patterns: readonly SecretPattern[];
  readonly max_text: number;
}

/** The options of an audit, compiled. */
export interface Settings extends Omit<Options, "format"> {
  readonly path: string;
  readonly format: Format;
  readonly filter: Filter;
}

const DEFAULTS: Options = {
  format: "jsonl",
  headers: {},
  sync: "always",
  max_bytes: 50_000_000,
  max_files: 20,
  events: "all",
  exclude: [],
  mask: [],
  redact: true,
  patterns: [],
  max_text: 4_096,
};

/** Compiles options, or throws an error that names the one that is wrong. */
export function settingsOf(options: unknown): Settings {
  const given = { ...DEFAULTS, ...(options as Partial<Options> | undefined) };
  if (given.path !== undefined && given.endpoint !== undefined) {
    throw new Error("options: lines go to a path or to an endpoint, not to both; make two hooks of it");
  }
  const { patterns } = given;
  const redactor = given.redact ? createRedactor({ patterns }) : null;
  const { path = join(stateDirectory(), "audit", "audit.jsonl") } = given;
  return {
    ...given,
    path: path.startsWith("~/") ? join(homedir(), path.slice(2)) : path,
    format: formats[given.format],
    filter: filterOf({ ...given, redact: (value) => redactor?.json(value).value ?? value }),
  };
}

// Outside of any project: what an agent may write must not hold the record of what it did.
function stateDirectory(): string {
  const home = homedir();
  if (process.platform === "win32") return join(process.env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "harn");
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "harn");
  return join(process.env.XDG_STATE_HOME ?? join(home, ".local", "state"), "harn");
}
