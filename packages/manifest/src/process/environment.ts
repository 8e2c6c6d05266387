/** What every program needs to find its way: where programs, its user and temporary files are, and the language. */
const USUAL: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TMP",
  "TEMP",
  "SystemRoot",
  "PATHEXT",
];

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Whether a text can be the name of an environment variable. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/**
 * The environment of an executable hook: the usual, what is named, and what is set for it. Nothing else of this process,
 * whose environment holds the keys of its agent.
 */
export function environmentFor(
  names: readonly string[],
  own: Readonly<Record<string, string>>,
): Record<string, string> & { readonly PATH: string } {
  const environment: Record<string, string> = {};
  for (const name of [...USUAL, ...names]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return { PATH: DEFAULT_PATH, ...environment, ...own };
}
