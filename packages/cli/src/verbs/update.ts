import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { printable } from "@hooks/core";
import {
  isWithin,
  type LockedPackage,
  loadHarness,
  type ManifestHarness,
  type NewLock,
  Packages,
  parseToml,
  renderProblems,
} from "@hooks/manifest";
import { type Backtest, backtest, listTapes } from "@hooks/tape";
import { confirm } from "../ask.js";
import { backtestLines } from "../backtest-lines.js";
import { readEditable, requireManifest } from "../binding.js";
import { editToml, setKey } from "../edit.js";
import { CliError, EXIT, type Exit, usage } from "../exit.js";
import { draft, writeDrafts } from "../files.js";
import { readyLock } from "../locking.js";
import { findPackageManager, packageHome, readDeclared, runManager, updateCommand } from "../package-manager.js";
import { exitFor, requirePolicy } from "../policy.js";
import { openProgress } from "../progress.js";
import { refuseOtherRegistry } from "../registry.js";
import { findTapes } from "../tapes.js";
import type { Terminal } from "../terminal.js";
import { prepareTrial, type Trial, type Wishes } from "../trial.js";
import { isTrusted, trustPolicy } from "../trust.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

const RECENT_DAYS = 30;

export const verb = defineVerb({
  usage:
    "update [PACKAGE[@VERSION] ...] [--yes] [--dry-run] [--tape PATH] [--days N] [--reason TEXT] [--manifest FILE] [--json]",
  about: `Brings the packs and hook packages of a policy to their newest versions in range, or to the ones named. They are installed
beside the project first, and every event of the recent tapes is asked of the policy as it is and as it would be: the
verdicts that change are shown before anything is written. Then package.json, node_modules and harn.lock follow. The new
versions run for that. Without a person to ask, and without --yes, nothing is written when a verdict would be looser; the
exit code is 1 then.`,
  flags: {
    ...POLICY_FLAGS,
    yes: { type: "boolean", short: "y", about: "ask nothing, also when a verdict would be looser" },
    "dry-run": { type: "boolean", about: "show what would change, and change nothing" },
    tape: {
      type: "string",
      value: "PATH",
      multiple: true,
      about: "a tape, or a directory of them, instead of the recent ones",
    },
    days: { type: "string", value: "N", about: `how old a tape may be; ${RECENT_DAYS} days when absent` },
    reason: { type: "string", value: "TEXT", about: "why a package goes back to a lower version; it is written down" },
  },
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn update", shows: "what the newest versions would change, and then have them" },
    { command: "harn update @acme/policy-pack@2 --dry-run", shows: "what one of them would change" },
  ],
  async run({ flags, words }, terminal) {
    const { host, json, talk } = terminal;
    const manifest = await requireManifest(flags.manifest, host.cwd);
    const home = packageHome(dirname(manifest));
    const current = await requirePolicy({ ...flags, manifest }, terminal, { trial: true });
    if (typeof current === "number") return current;
    const before = await readyLock(host, manifest, undefined);
    const wishes = await readWishes(words, home, before.packages, terminal);
    const trial = await prepareTrial({ manifest, home }, before.packages, wishes, terminal);
    try {
      const named = await namedVersions(words, trial.manifest);
      await widenRanges(trial.manifest, named);
      const asked = { ...host, cwd: dirname(trial.manifest) };
      const after = await readyLock(asked, trial.manifest, flags.reason, before.packages);
      const steps = stepsOf(before.packages, after.packages);
      if (steps.length === 0) {
        if (flags.json) json({ ok: true, updates: [], backtest: null, written: false });
        else talk("everything is up to date");
        return EXIT.fine;
      }
      const refused = refusal(after, flags.reason, terminal);
      if (refused !== undefined) {
        if (flags.json)
          json({ ok: false, updates: steps, problems: after.problems, downgrades: after.downgrades, written: false });
        return refused;
      }
      if (!flags.json) for (const step of steps) terminal.print(stepLine(step));
      // Held against its own lock like any other; the events are asked of exactly what is written down.
      writeDrafts([draft(join(dirname(trial.manifest), "harn.lock"), after.text)]);
      const found = await tryOn(current, trial, recentTapes(flags.tape, flags.days, terminal), terminal);
      if (typeof found === "number") return found;
      if (!flags.json) for (const line of backtestLines(found, terminal.paint)) terminal.print(line);
      const answer = (written: boolean) =>
        json({ ok: written || !found.loosened, updates: steps, backtest: found, written });
      if (flags["dry-run"] || !(await isWanted(flags.yes, found, terminal))) {
        if (flags.json) answer(false);
        else talk("nothing was written");
        return found.loosened ? EXIT.findings : EXIT.fine;
      }
      await install(steps, { before, after, named }, { manifest, home, reason: flags.reason }, terminal);
      if (flags.json) answer(true);
      else talk(`updated ${steps.map(({ name, to }) => `${name} to ${to}`).join(", ")}`);
      return EXIT.fine;
    } finally {
      current.close();
      trial.remove();
    }
  },
});

/** A package, and a version of it. */
const WORD = /^((?:@[^/@]+\/)?[^@/]+)(?:@(.+))?$/;

/** What is wished for: the versions that are named, or of every package the policy names its newest in range. */
async function readWishes(
  words: readonly string[],
  home: string,
  packages: readonly LockedPackage[],
  { host }: Terminal,
): Promise<Wishes> {
  const declared = readDeclared(home);
  const used = packages.filter(({ name, kind }) => kind !== "dependency" && Object.hasOwn(declared, name));
  const wishes = new Map<string, string>();
  for (const word of words) {
    const [, name = "", version] = WORD.exec(word) ?? [];
    if (!packages.some((entry) => entry.name === name)) {
      throw usage(
        `"${word}" is no package of this policy`,
        `it uses ${used.map((entry) => entry.name).join(", ") || "none"}`,
      );
    }
    wishes.set(name, version ?? declared[name] ?? "latest");
  }
  if (words.length === 0) for (const { name } of used) wishes.set(name, declared[name] ?? "latest");
  // What package.json links is not in any registry.
  for (const [name, wish] of wishes) if (/^(?:workspace|file|link):/.test(wish)) wishes.delete(name);
  for (const name of wishes.keys()) {
    await refuseOtherRegistry({ env: host.env, cwd: home }, name);
  }
  return wishes;
}

/** A package that would be another one. */
interface Step {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly kind: LockedPackage["kind"];
  /** What its hooks may do that they could not do before. */
  readonly capabilities: readonly string[];
}

function stepsOf(before: readonly LockedPackage[], after: readonly LockedPackage[]): Step[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  const texts = (list: readonly LockedPackage[]) => list.map(({ version }) => version).join(", ") || null;
  return names.flatMap((name): Step[] => {
    const [old, now] = [before, after].map((list) => list.filter((entry) => entry.name === name)) as [
      LockedPackage[],
      LockedPackage[],
    ];
    if (texts(old) === texts(now)) return [];
    const could = old.flatMap(({ capabilities }) => capabilities);
    const capabilities = now.flatMap((entry) => entry.capabilities).filter((one) => !could.includes(one));
    return [{ name, from: texts(old), to: texts(now), kind: (now[0] ?? old[0])?.kind ?? "dependency", capabilities }];
  });
}

function stepLine({ name, from, to, capabilities }: Step): string {
  const more = capabilities.length === 0 ? "" : `, may now use ${capabilities.join(", ")}`;
  return printable(`${name}  ${from ?? "not there"} -> ${to ?? "gone"}${more}`);
}

/** Why the new versions cannot be had at all. */
function refusal({ problems, downgrades }: NewLock, reason: string | undefined, { talk }: Terminal): Exit | undefined {
  if (problems.some(({ severity }) => severity === "error")) {
    talk(renderProblems(problems, ""));
    return exitFor(problems);
  }
  if (downgrades.length === 0 || reason !== undefined) return undefined;
  for (const { name, version, highest } of downgrades)
    talk(printable(`${name} ${version}: ${highest} was in use before`));
  throw usage(
    "a package would go back to a lower version",
    'say why: harn update ... --reason "2.1.0 breaks the build"',
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The tapes the new versions are tried on; none is no mistake, but nothing to go by. */
function recentTapes(named: readonly string[], days: string | undefined, { host, talk }: Terminal): string[] {
  if (days !== undefined && !/^\d{1,5}$/.test(days)) throw usage(`--days must be a whole number, got "${days}"`);
  if (named.length > 0) return findTapes(named, host);
  const since = Date.now() - Number(days ?? RECENT_DAYS) * DAY_MS;
  const tapes = listTapes().filter(({ modified }) => modified >= since);
  if (tapes.length === 0) talk("there are no recent tapes to try it on: nobody can tell which verdicts would change");
  return tapes.map(({ file }) => file);
}

/** Asks both policies about every event. */
async function tryOn(
  current: ManifestHarness,
  { manifest }: Trial,
  tapes: readonly string[],
  terminal: Terminal,
): Promise<Backtest | Exit> {
  const next = await loadHarness({ cwd: dirname(manifest), manifest, harness: { trial: true, ports: { warn() {} } } });
  if (!next.ok) {
    terminal.talk(`the policy does not load with these versions:\n${next.message}`);
    return exitFor(next.problems);
  }
  const progress = openProgress(terminal);
  const found = await backtest(tapes, next.harness, {
    baseline: current,
    onProgress: ({ bytes, total, events }) => progress.show(bytes / total, `${events} events`),
  });
  progress.clear();
  next.harness.close();
  return found;
}

async function isWanted(isAgreed: boolean, found: Backtest, { host }: Terminal): Promise<boolean> {
  if (isAgreed) return true;
  return host.isInteractive ? confirm("Update?") : !found.loosened && found.problems.length === 0;
}

interface Tried {
  readonly before: NewLock;
  readonly after: NewLock;
  readonly named: ReadonlyMap<string, string>;
}

interface Target {
  readonly manifest: string;
  readonly home: string;
  readonly reason: string | undefined;
}

/** Installs what was tried, and nothing else: every byte is held against what the tapes were asked of. */
async function install(
  steps: readonly Step[],
  { before, after, named }: Tried,
  { manifest, home, reason }: Target,
  terminal: Terminal,
): Promise<void> {
  const { host } = terminal;
  const declared = readDeclared(home);
  const wasTrusted = await isTrusted(host, manifest);
  const isLocked = existsSync(join(dirname(manifest), "harn.lock"));
  const direct = steps.flatMap(({ name, to }) => (to === null || !Object.hasOwn(declared, name) ? [] : [{ name, to }]));
  await runManager(updateCommand(findPackageManager(home), home, direct), home, terminal);
  await widenRanges(manifest, named);
  const lock = await readyLock(host, manifest, reason, before.packages);
  // What depends on nothing new may stay at the version it was.
  const known = [...after.packages, ...before.packages.filter(({ kind }) => kind === "dependency")];
  const other = lock.packages.find((entry) => !known.some((one) => isSame(one, entry)));
  if (other !== undefined) {
    throw new CliError(
      "HARN_E_INSTALL",
      EXIT.untrusted,
      `${other.name} ${other.version} was installed, and it is not what was tried`,
      "look at what changed, then run harn lock and harn trust",
    );
  }
  if (isLocked || lock.packages.some(({ provenance }) => provenance !== undefined)) {
    writeDrafts([draft(join(dirname(manifest), "harn.lock"), lock.text)]);
  }
  if (wasTrusted) await trustPolicy(host, manifest);
}

/** Ranges in harn.toml that versions are outside of follow them, where somebody asked for these versions by name. */
async function widenRanges(manifest: string, versions: ReadonlyMap<string, string>): Promise<void> {
  let text = await readEditable(manifest);
  const { dependencies = {} } = (await parseToml(text)) as { dependencies?: Record<string, string> };
  for (const [name, version] of versions) {
    const range = Object.hasOwn(dependencies, name) ? dependencies[name] : undefined;
    if (range !== undefined && !isWithin(version, range)) {
      text = await editToml(text, setKey("dependencies", name, `^${version}`));
    }
  }
  writeDrafts([draft(manifest, text)]);
}

/** The versions that were named, as they are installed for a manifest. */
async function namedVersions(words: readonly string[], manifest: string): Promise<Map<string, string>> {
  const installed = new Packages(dirname(manifest));
  const versions = new Map<string, string>();
  for (const word of words) {
    const [, name = "", wish] = WORD.exec(word) ?? [];
    const found = wish === undefined ? undefined : await installed.find(name);
    if (found !== undefined && "version" in found && found.version !== undefined) versions.set(name, found.version);
  }
  return versions;
}

function isSame(a: LockedPackage, b: LockedPackage): boolean {
  const files = ({ files }: LockedPackage) => JSON.stringify([...files]);
  return a.name === b.name && a.version === b.version && files(a) === files(b);
}
