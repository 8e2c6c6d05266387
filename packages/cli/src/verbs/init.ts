import { join, relative } from "node:path";
import { AGENT_FLAGS, initAgent } from "../agent-init.js";
import { confirm } from "../ask.js";
import { EXIT, usage } from "../exit.js";
import { type Draft, draft, showDrafts, writeDrafts } from "../files.js";
import { offerLines, readOffer } from "../offer.js";
import { commandOf, findPackageManager, packageHome, RUNNERS, readDeclared, runManager } from "../package-manager.js";
import { STARTERS, type Starter, starterFiles } from "../starter.js";
import type { Terminal } from "../terminal.js";
import { trustPolicy } from "../trust.js";
import { defineVerb, EDIT_FLAGS } from "../verb.js";
import { VERSION } from "../version.js";

export const verb = defineVerb({
  usage:
    "init [--yes] [--dry-run] [--no-install] [--json] | init --agent NAME [--user] [--uninstall] [--dry-run] [--json]",
  about: `Gives this directory a policy: writes harn.toml and a table test beside it, and adds harn and the hook packages it
names to package.json with the package manager the project uses, install scripts off. What is there already stays as it
is, so a second run changes nothing.

With --agent, wires the policy into an agent instead: adds one hook for each event to the agent's own settings, keeps
everything that is there, comments and order included, and keeps a backup outside of the project.`,
  flags: {
    yes: EDIT_FLAGS.yes,
    "dry-run": EDIT_FLAGS["dry-run"],
    "no-install": { type: "boolean", about: "write the files only" },
    json: EDIT_FLAGS.json,
    ...AGENT_FLAGS,
  },
  examples: [
    { command: "harn init --yes", shows: "a policy, and nothing asked" },
    { command: "harn init --dry-run", shows: "what would be written" },
    { command: "harn init --agent claude", shows: "Claude Code asks the policy of this project" },
    { command: "harn init --agent codex --user --uninstall", shows: "Codex CLI no longer asks in every project" },
  ],
  async run({ flags }, terminal) {
    const { host, talk, json } = terminal;
    const { agent } = flags;
    if (agent !== undefined) return initAgent({ ...flags, agent }, terminal);
    const stray = (["user", "uninstall", "command", "manifest"] as const).find((flag) => flags[flag]);
    if (stray !== undefined)
      throw usage(`--${stray} says something about an agent`, `harn init --agent NAME --${stray}`);
    const asks = host.isInteractive && !flags.yes && !flags["dry-run"];
    const hasPolicy = draft(join(host.cwd, "harn.toml"), "").before !== null;
    const starters: Starter[] = [];
    for (const starter of hasPolicy ? [] : STARTERS) {
      if (!asks || (await confirm(`${starter.question} (${starter.package})`))) starters.push(starter);
    }
    const drafts = newFiles(host.cwd, starters);
    const home = packageHome(host.cwd);
    const manager = findPackageManager(home);
    const missing = [`harn@^${VERSION}`, ...starters.map((starter) => `${starter.package}@${starter.range}`)].filter(
      (spec) => !Object.hasOwn(readDeclared(home), spec.slice(0, spec.lastIndexOf("@"))),
    );
    const installed = flags["no-install"] ? [] : missing;
    if (flags["dry-run"]) {
      if (installed.length > 0) talk(`$ ${commandOf("add", manager, installed).join(" ")}`);
      if (flags.json) json({ ok: true, created: names(drafts, host.cwd), installed, written: false });
      else showDrafts(drafts, terminal);
      return EXIT.fine;
    }
    // The packages first: were that to fail, no policy would be left behind that cannot load.
    if (installed.length > 0) await runManager(commandOf("add", manager, installed), home, terminal);
    writeDrafts(drafts);
    if (!hasPolicy) await trustPolicy(host);
    if (flags.json) {
      json({ ok: true, created: names(drafts, host.cwd), installed, written: drafts.length + installed.length > 0 });
      return EXIT.fine;
    }
    if (installed.length > 0) await showOffers(starters, host.cwd, terminal);
    talk(
      drafts.length === 0
        ? "There is a policy here already; it stays as it is."
        : `Wrote ${names(drafts, host.cwd).join(" and ")}.`,
    );
    for (const line of nextSteps(RUNNERS[manager.name], terminal)) talk(line);
    return EXIT.fine;
  },
});

/** The files that are not there yet. */
function newFiles(cwd: string, starters: readonly Starter[]): Draft[] {
  const files = Object.entries(starterFiles(starters)).map(([name, text]) => draft(join(cwd, name), text));
  // A test of a policy that is somebody else's would test nothing.
  return files[0]?.before === null ? files.filter(({ before }) => before === null) : [];
}

function names(drafts: readonly Draft[], cwd: string): string[] {
  return drafts.map(({ path }) => relative(cwd, path));
}

async function showOffers(starters: readonly Starter[], cwd: string, { talk, paintTalk }: Terminal): Promise<void> {
  for (const starter of starters) {
    for (const line of offerLines(await readOffer(starter.package, cwd), paintTalk)) talk(line);
  }
}

function nextSteps(runner: string, { paintTalk }: Terminal): string[] {
  const steps = [
    ["list", "the policy, in the order it is applied"],
    ["explain --tool Bash --arg command='rm -rf /'", "what it makes of a call, and why"],
    ["test", "the cases of policy.harn-test.toml"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    "",
    "Next:",
    ...steps.map(([command, shows]) => `  ${paintTalk("cyan", `${runner} ${command.padEnd(width)}`)}  ${shows}`),
  ];
}
