import { startOf, type Word, wordOf } from "@hooks/shell";
import { isThere } from "./disk.js";
import type { Collector } from "./shell.js";

/** The words of a text that lead somewhere by themselves: from the root, the home directory, or upwards. */
export function rootedWords(text: string): string[] {
  return text.split(/[\s"'`<>|;&()=,]+/).filter((word) => ROOTED.test(word));
}

const ROOTED = /^(?:\/+[^/\s]|~\/|~$|\.\.(?:\/|$))/;
const URL = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i;

export function textWord(text: string): Word {
  return wordOf([{ kind: "text", text }]);
}

export function withoutStart(word: Word, count: number): Word {
  const [first, ...rest] = word.pieces;
  if (first?.kind !== "text") return word;
  return wordOf([{ kind: "text", text: first.text.slice(count) }, ...rest]);
}

/**
 * Whether what looks like a path from the root can be one on this machine: routes of a server, expressions and names of
 * other systems begin with a slash as well, and what begins with a directory that is not there leads nowhere.
 */
export function canLead(text: string): boolean {
  const [, first] = /^\/+([^/]*)/.exec(text) ?? [];
  if (first === undefined) return true;
  return first !== "" && isThere(`/${first}`);
}

/** The paths in a value of an option or a variable: itself, after `=` or `@`, in a list, or among other words. */
export function valueUses(value: Word, access: "read" | "write", by: string, { guess, take }: Collector): void {
  const start = startOf(value);
  if (URL.test(start)) return;
  const [key = ""] = /^[\w.-]*[=@]@?/.exec(start) ?? [];
  const rest = key === "" ? value : withoutStart(value, key.length);
  const { text } = rest;
  if (text === "/" && /dir|root|path|home|prefix|dest/i.test(`${by}${key}`)) return take(rest, access, by);
  if (text !== null && /\s/.test(text)) {
    for (const path of text.split(/[:;,]/).flatMap(rootedWords)) guess(textWord(path), access, by);
    return;
  }
  if (text !== null && /[:,;]/.test(text)) {
    for (const path of text.split(/[:;,]/)) guess(textWord(path), access, by);
    return;
  }
  guess(rest, access, by);
}

/** Variables whose value a program reads, runs or writes to, whatever it was called with. */
const PLACES =
  /^(?:GIT_\w+|PATH|MANPATH|CDPATH|LD_\w+|DYLD_\w+|PYTHON\w+|NODE_(?:PATH|OPTIONS|EXTRA_CA_CERTS|REPL_HISTORY|V8_COVERAGE)|BASH_ENV|ENV|PERL\w*(?:LIB|OPT)|RUBY(?:LIB|OPT)|GEM_\w+|BUNDLE_\w+|LUA_C?PATH\w*|CLASSPATH|_?JAVA_(?:TOOL_)?OPTIONS|JAVA_HOME|TMPDIR|TEMP|TMP|XDG_\w+|n(?:pm)_config_\w+|NPM_CONFIG_\w+|CARGO_\w+|RUST\w+_HOME|GO(?:PATH|BIN|ROOT|CACHE|MODCACHE|TMPDIR|ENV)|DOCKER_(?:CONFIG|CERT_PATH)|KUBECONFIG|AWS_\w+_FILE|GOOGLE_APPLICATION_CREDENTIALS|SSL_CERT_\w+|SSLKEYLOGFILE|CURL_\w+|WGETRC|INPUTRC|HISTFILE|NETRC|\w+RC|ZDOTDIR|VIMINIT|EXINIT|TAR_OPTIONS|RSYNC_\w+|LESS\w*|MAKEFLAGS|MAKEFILES|GNUPGHOME|PGPASSFILE|PGSERVICEFILE|OPENSSL_CONF\w*|\w+_(?:FILE|DIR|CONFIG|LOG|LOGFILE|CACHE))$/;
const WRITTEN =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|CONFIG_GLOBAL|TRACE\w*)|TMPDIR|TEMP|TMP|SSLKEYLOGFILE|HISTFILE|CARGO_(?:TARGET_DIR|HOME|INSTALL_ROOT)|GO(?:PATH|BIN|CACHE|MODCACHE|TMPDIR)|NODE_(?:V8_COVERAGE|REPL_HISTORY)|PYTHONPYCACHEPREFIX|XDG_(?:CACHE|STATE|DATA)_HOME|\w*(?:OUT|OUTPUT|LOG|CACHE|DEST)(?:_?(?:FILE|DIR))?)$/i;
/** Places that are the same for every program and hold what is thrown away; git asks for some by these names. */
const IDLE = /^(?:cat|true|false|:|vim|vi|nano|code|less|more|delta|never|\d+)$/;

/**
 * Directories in which programs are looked for. One that is named from the root holds what whoever set up the machine has
 * put there, in the home directory as well; one that is relative may hold anything.
 */
function programPlaces({ pieces }: Word, { guess }: Collector): void {
  const text = pieces.map((piece) => (piece.kind === "text" ? piece.text : "/")).join("");
  for (const path of text.split(":")) if (path !== "" && !/^[/~]/.test(path)) guess(textWord(path), "read", "PATH=");
}

/** A variable that points a program at another place. */
export function variableUse(name: string, value: Word, collector: Collector): void {
  if (name === "CDPATH") return collector.give("CDPATH=", "cd may lead anywhere then");
  if (!PLACES.test(name) && !WRITTEN.test(name)) return;
  const access = WRITTEN.test(name) ? "write" : "read";
  if (name === "PATH") return programPlaces(value, collector);
  if (value.text === null) {
    // `PATH="$PATH:/x"`: what is put in front of or behind something known.
    for (const piece of value.pieces)
      if (piece.kind === "text") valueUses(textWord(piece.text.replace(/^:|:$/g, "")), access, `${name}=`, collector);
    const [first] = value.pieces;
    const isWhole = value.pieces.slice(1).every(({ kind }) => kind === "text");
    if (isWhole && first?.kind === "variable" && first.name === "HOME") collector.take(value, access, `${name}=`);
    return;
  }
  if (value.text !== "" && !IDLE.test(value.text)) valueUses(value, access, `${name}=`, collector);
}
