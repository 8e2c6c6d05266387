import type { SimpleCommand } from "@hooks/shell";
import type { Dialect } from "../tools.js";
import { type RawWord, statementsOf } from "./statements.js";

/** Other names of PowerShell's commands. */
const ALIASES: Readonly<Record<string, string>> = {
  ri: "remove-item",
  rm: "remove-item",
  del: "remove-item",
  erase: "remove-item",
  rd: "remove-item",
  rmdir: "remove-item",
  iex: "invoke-expression",
  iwr: "invoke-webrequest",
  irm: "invoke-restmethod",
  curl: "invoke-webrequest",
  wget: "invoke-webrequest",
  gci: "get-childitem",
  dir: "get-childitem",
  ls: "get-childitem",
  gc: "get-content",
  cat: "get-content",
  type: "get-content",
  ac: "add-content",
  clc: "clear-content",
  cp: "copy-item",
  copy: "copy-item",
  cpi: "copy-item",
  ps: "get-process",
  gps: "get-process",
  kill: "stop-process",
  spps: "stop-process",
  mi: "move-item",
  move: "move-item",
  mv: "move-item",
  rni: "rename-item",
  ren: "rename-item",
  cd: "set-location",
  sl: "set-location",
  saps: "start-process",
  start: "start-process",
  icm: "invoke-command",
  "%": "foreach-object",
  foreach: "foreach-object",
  "?": "where-object",
  echo: "write-output",
  write: "write-output",
};

/** The name of a program, in small letters and without what Windows lets one leave out. */
export function programOf(text: string | null, dialect: Dialect): string | null {
  if (text === null) return null;
  const path = text
    .slice(text.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/^@/, "");
  const name = path.replace(/\.(exe|com|cmd|bat)$/, "");
  // `curl.exe` is the program, and `curl` an alias.
  return dialect === "powershell" && name === path
    ? Object.hasOwn(ALIASES, name)
      ? (ALIASES[name] as string)
      : name
    : name;
}

const DELETES = /^\[(?:system\.)?(?:io\.)?(directory|file|directoryinfo|fileinfo)\]::delete$/i;

/** `[IO.Directory]::Delete("C:\x", $true)`: what it deletes, and whether it is a tree. */
export function deletedByCall(words: readonly RawWord[]): { readonly path: RawWord; readonly isTree: boolean } | null {
  const [name, group] = words[0] ?? [];
  const kind = name?.kind === "text" ? DELETES.exec(name.text)?.[1] : undefined;
  if (kind === undefined || group?.kind !== "group") return null;
  const [path] = statementsOf(group.text, "powershell")[0]?.words ?? [];
  return path === undefined ? null : { path, isTree: /^directory/i.test(kind) };
}

/** The file a command downloads to. */
export function downloadTo({ program, argv }: SimpleCommand): string | null {
  const after = (test: RegExp) => argv[argv.findIndex(({ text }) => test.test(text ?? "")) + 1]?.text ?? null;
  const has = (test: RegExp) => argv.some(({ text }) => test.test(text ?? ""));
  switch (program) {
    case "invoke-webrequest":
    case "invoke-restmethod":
      return has(/^-outf/i) ? after(/^-outf/i) : null;
    case "curl":
    case "wget":
      return has(/^-[oO]$|^--output/) ? after(/^-[oO]$|^--output/) : null;
    case "start-bitstransfer":
      return has(/^-dest/i) ? after(/^-dest/i) : (argv[2]?.text ?? null);
    case "certutil":
    case "bitsadmin":
      return has(/^[-/](urlcache|transfer)/i) ? (argv[argv.length - 1]?.text ?? null) : null;
    default:
      return null;
  }
}
