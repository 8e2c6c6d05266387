import { homedir } from "node:os";
import { resolve } from "node:path";
import { compileGlobs, expandBraces, type Globs, hasWildcard, resolveReal } from "@hooks/paths";

interface Options {
  readonly roots: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly system: boolean;
  readonly unclear: "ask" | "block" | "allow";
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly canonicalise: boolean;
}

/** The options of a jail, compiled. */
export interface Settings extends Pick<Options, "unclear" | "fields" | "canonicalise"> {
  readonly home: string;
  /** Real, and without their links. */
  readonly roots: readonly string[];
  readonly isReadable: Globs;
  readonly isWritable: Globs;
  readonly isDenied: Globs;
  readonly isAsked: Globs;
  /** Where anything that is denied could be. */
  readonly deniedPlaces: readonly string[];
}

const CREDENTIALS: readonly string[] = [
  "~/.{ssh,gnupg,aws,azure,kube}",
  "~/.config/{gcloud,gh}",
  "~/.docker/config.json",
  "~/.{netrc,npmrc,pypirc,git-credentials}",
  "~/.local/state/harn",
];

/** What is the same on every machine of its kind and holds no secrets. */
const SYSTEM: readonly string[] = [
  "/{usr,bin,sbin,lib,lib32,lib64,libx32,opt,nix/store,System,Applications,Library/Developer}",
  "/etc/{hosts,resolv.conf,os-release,lsb-release,debian_version,alpine-release,redhat-release,issue,timezone,localtime}",
  "/etc/{mime.types,protocols,services,nsswitch.conf,shells,ld.so.conf,ld.so.conf.d,ld.so.cache,alternatives,profile.d}",
  "/etc/{ssl/certs,ssl/openssl.cnf,ca-certificates,pki/tls/certs}",
  "/proc/{cpuinfo,meminfo,version,loadavg,uptime,stat,filesystems,sys/kernel,sys/fs/inotify}",
  "/sys/{class,fs/cgroup,devices/system/cpu}",
];

const DEFAULTS: Options = {
  roots: ["."],
  read: [],
  write: [],
  deny: CREDENTIALS,
  ask: [],
  system: true,
  unclear: "ask",
  fields: {},
  canonicalise: true,
};

const bySource = new Map<string, Settings>();

/** Compiles options once. In a worker each call brings a copy of them, so they are known by what they say. */
export function settingsOf(options: unknown, project: string): Settings {
  const source = JSON.stringify([options ?? {}, project]);
  const known = bySource.get(source) ?? compile({ ...DEFAULTS, ...(options as Partial<Options> | undefined) }, project);
  bySource.set(source, known);
  return known;
}

function compile(options: Options, project: string): Settings {
  const home = resolveReal(homedir()).path;
  const roots = options.roots.map((root) => rootOf(root, project, home));
  const around = { roots, home };
  const { read, write, deny, ask, system, unclear, fields, canonicalise } = options;
  const writable = ["**", ...write];
  return {
    unclear,
    fields,
    canonicalise,
    home,
    roots,
    isWritable: compileGlobs(writable, around),
    // What may be written may be read, unless it is said otherwise.
    isReadable: compileGlobs(
      [...(system ? SYSTEM : []), "**", ...write.filter((glob) => !glob.startsWith("!")), ...read],
      around,
    ),
    isDenied: compileGlobs(deny, { ...around, isGenerous: true }),
    isAsked: compileGlobs(ask, { ...around, isGenerous: true }),
    deniedPlaces: [...new Set(deny.flatMap(expandBraces).flatMap((glob) => placesOf(glob, roots, home)))],
  };
}

/** Where to look for what a pattern fits: what stands before its first wildcard, or every root. */
function placesOf(glob: string, roots: readonly string[], home: string): readonly string[] {
  if (glob.startsWith("!")) return [];
  const path = glob.startsWith("~") ? `${home}${glob.slice(1)}` : glob;
  if (!path.startsWith("/")) return roots;
  const parts = path.split("/");
  const first = parts.findIndex(hasWildcard);
  return [parts.slice(0, first === -1 ? parts.length : first).join("/") || "/"];
}

function rootOf(root: string, project: string, home: string): string {
  const path = root === "~" || root.startsWith("~/") ? `${home}${root.slice(1)}` : resolve(project, root);
  const { path: real, exists, problem } = resolveReal(path);
  if (problem !== null) throw new Error(`options.roots: ${problem}`);
  // A root that is not there yet may become a link to anywhere.
  if (!exists) throw new Error(`options.roots: ${path} does not exist`);
  return real;
}
