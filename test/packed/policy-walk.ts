import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { environment, type Ran, runShell } from "./environment.js";
import { login } from "./publishing.js";
import type { Registry } from "./registry.js";
import { WEAKENINGS } from "./weakenings.js";

const HARN = "node_modules/.bin/harn";
const call = (command: string) =>
  JSON.stringify({ event: "PreToolUse", payload: { tool: { name: "Bash", args: { command } } } });
const ask = (command: string, flags = "") => `echo '${call(command)}' | ${HARN} run ${flags}`;

/** How a step ended, told to whoever walks. */
export type Tell = (name: string) => void;

/**
 * A team makes a policy pack, checks and publishes it; a project extends it, tries to weaken it, and takes newer versions.
 * `most` says how many of the attempts are made.
 */
export async function walkPolicy(registry: Registry, scratch: string, tell: Tell, most = Number.POSITIVE_INFINITY) {
  const home = join(scratch, "home");
  const env = environment(home, registry);
  login(env);
  const team = join(scratch, "team");
  const pack = join(team, "policy-pack");
  const project = join(scratch, "project");

  async function step(name: string, cwd: string, script: string, status: number, expect?: RegExp): Promise<Ran> {
    mkdirSync(cwd, { recursive: true });
    const ran = await runShell(script, cwd, env);
    const said = ran.stdout + ran.stderr;
    if (ran.status !== status || expect?.test(said) === false) {
      throw new Error(`${name}: exit ${ran.status}, wanted ${status} and ${expect}\n${script}\n${said}`);
    }
    tell(name);
    return ran;
  }

  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(file, change(readFileSync(file, "utf8")));
  const BEGIN = "mkdir -p .git && npm init --yes >/dev/null && npm install --save-dev --ignore-scripts harn";

  await step("a team installs harn", team, BEGIN, 0);
  await step("makes a pack", team, `${HARN} new pack @acme/policy-pack`, 0, /policy-pack\/harn\.toml/);
  await step("installs what it needs", pack, "mkdir -p .git && npm install --ignore-scripts", 0);
  await step("is refused before it trusts its own", pack, `${HARN} publish`, 1, /FAIL tests .*harn trust/);
  await step("checks it", pack, `${HARN} trust --yes && ${HARN} pack check`, 0, /ok {3}gates/);
  const readme = readFileSync(join(pack, "README.md"), "utf8");
  writeFileSync(join(pack, "README.md"), "# Nothing\n");
  await step("is refused without a table of hooks", pack, `${HARN} publish`, 1, /FAIL readme .*nothing was published/s);
  writeFileSync(join(pack, "README.md"), readme);
  await step("goes through the motions", pack, `${HARN} publish --dry-run`, 0, /would go to http:\/\/127\.0\.0\.1/);
  await step("which published nothing", pack, "! npm view @acme/policy-pack version", 0);
  await step("publishes it", pack, `${HARN} publish`, 0, /published @acme\/policy-pack 0\.1\.0/);
  await step("and there it is", pack, "npm view @acme/policy-pack version", 0, /0\.1\.0/);

  await step("a project begins", project, BEGIN, 0);
  writeFileSync(join(project, "harn.toml"), "# The policy of this project.\n");
  await step("trusts what it wrote", project, `${HARN} trust --yes`, 0);
  await step("extends it", project, `${HARN} add @acme/policy-pack --yes`, 0, /binds @acme\/policy-pack now/);
  await step("locks it", project, `${HARN} lock`, 0, /locks 1 package/);
  await step("is governed", project, ask("sudo reboot", "--tape session.jsonl"), 0, /"verdict":"block".*policy-pack/);
  await step("and works", project, ask("systemctl halt", "--tape other.jsonl"), 0, /"verdict":"allow"/);

  const kept = join(scratch, "kept");
  cpSync(project, kept, { recursive: true, verbatimSymlinks: true });
  const files = {
    write(file: string, text: string) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), text);
    },
    append: (file: string, text: string) => edit(join(project, file), (before) => `${before}\n${text}`),
    prepend: (file: string, text: string) => edit(join(project, file), (before) => `${text}\n${before}`),
    replace: (file: string, from: string, to: string) =>
      edit(join(project, file), (before) => before.replaceAll(from, to)),
    remove: (file: string) => rmSync(join(project, file), { recursive: true }),
    link(file: string, target: string) {
      rmSync(join(project, file), { recursive: true });
      symlinkSync(target, join(project, file));
    },
  };
  for (const { name, weaken } of WEAKENINGS.slice(0, most)) {
    weaken(files);
    // Whoever weakens it is somebody the machine's owner trusts.
    const { stdout, stderr } = await runShell(
      `${HARN} trust --yes || true; ${ask("sudo reboot")} || true`,
      project,
      env,
    );
    const verdict = /"verdict":"(\w+)"/.exec(stdout)?.[1];
    if (verdict !== "block") throw new Error(`${name}: ${verdict}\n${stdout}\n${stderr}`);
    tell(`cannot weaken it: ${name}`);
    rmSync(project, { recursive: true });
    cpSync(kept, project, { recursive: true, verbatimSymlinks: true });
  }
  await step("is governed as before", project, `${HARN} trust --yes; ${ask("sudo reboot")}`, 0, /"verdict":"block"/);

  async function release(version: string, deny: string): Promise<void> {
    const now = (text: string) => text.replace(/("?version"?\s*[=:]\s*)"[\d.]+"/, `$1"${version}"`);
    edit(join(pack, "package.json"), now);
    edit(join(pack, "harn.toml"), (text) => now(text).replace(/options = .*/, `options = { deny = ${deny} }`));
    edit(join(pack, "policy.harn-test.toml"), (text) => text.replace(/sudo \w+/, `sudo ${/\w+/.exec(deny)?.[0]}`));
    const script = `${HARN} trust --yes && ${HARN} publish`;
    await step(`the team publishes ${version}`, pack, script, 0, new RegExp(`published @acme/policy-pack ${version}`));
  }
  const TAPES = "--tape session.jsonl --tape other.jsonl";
  const isLockedAt = (version: string) => `grep -A3 'name = "@acme/policy-pack"' harn.lock | grep -q '"${version}"'`;
  await release("0.1.1", '["shutdown"]');
  await step("an update shows what it loosens, and is not made", project, `${HARN} update ${TAPES}`, 1, /loosened/);
  await step("nothing was written", project, `${isLockedAt("0.1.0")} && ${HARN} lock --frozen`, 0);
  await release("0.1.2", '["reboot", "shutdown", "halt"]');
  await step("shows what another one tightens", project, `${HARN} update --dry-run ${TAPES}`, 0, /tightened.*halt/s);
  await step("nothing was written", project, `${isLockedAt("0.1.0")} && ${HARN} lock --frozen`, 0);
  await step("makes it", project, `${HARN} update ${TAPES}`, 0, /updated @acme\/policy-pack to 0\.1\.2/);
  await step(
    "is locked and governed by it",
    project,
    `${isLockedAt("0.1.2")} && ${ask("halt")}`,
    0,
    /"verdict":"block"/,
  );
  await step("has nothing more to take", project, `${HARN} update`, 0, /everything is up to date/);
  const back = `${HARN} update @acme/policy-pack@0.1.0 --yes ${TAPES}`;
  await step("does not go back for nothing", project, back, 64, /0\.1\.2 was in use before/);
  await step("goes back with a reason", project, `${back} --reason "0.1.2 is too strict"`, 0);
  await step("which is written down", project, 'grep -q "downgraded = .*too strict" harn.lock', 0);
  await step("and forward again", project, `${HARN} update @acme/policy-pack@0.1.2 --yes`, 0);

  const ci = join(scratch, "ci");
  mkdirSync(ci);
  for (const file of ["package.json", "package-lock.json", "harn.toml", "harn.lock"]) {
    cpSync(join(project, file), join(ci, file));
  }
  const install = `mkdir -p .git && npm ci --ignore-scripts && ${HARN} lock --frozen`;
  await step("CI installs and is frozen", ci, install, 0);
  const digest = await step("CI is told what to trust", ci, `${HARN} trust --status --json || true`, 0);
  env.HARN_TRUST = (JSON.parse(digest.stdout) as { digest: string }).digest;
  await step("CI is governed", ci, ask("sudo reboot"), 0, /"verdict":"block".*not for agents/);
  writeFileSync(join(ci, "node_modules/@acme/policy-pack/rules.js"), "export const guard = () => undefined;\n");
  await step("CI catches what was tampered with", ci, `${HARN} lock --frozen`, 77, /rules\.js changed/);
  await step("and lets nothing through", ci, ask("ls"), 77, /"verdict":"block".*rules\.js changed/);
  delete env.HARN_TRUST;

  const policy = (line: string) => edit(join(project, "harn.toml"), (text) => `${text}\n[policy]\n${line}\n`);
  const manifest = readFileSync(join(project, "harn.toml"), "utf8");
  policy('registries = { "@acme" = "http://127.0.0.1:9/" }');
  await step(
    "refuses what came from elsewhere",
    project,
    `${HARN} lock`,
    77,
    /must come from http:\/\/127\.0\.0\.1:9\//,
  );
  await step("at every load", project, `${HARN} trust --yes; ${ask("ls")}`, 77, /HARN_E_REGISTRY/);
  await step("installs nothing from there", project, `${HARN} update`, 77, /HARN_E_/);
  writeFileSync(join(project, "harn.toml"), manifest);
  policy(`registries = { "@acme" = "${registry.url}" }`);
  await step("takes what came from the right one", project, `${HARN} lock && ${HARN} trust --yes && ${ask("ls")}`, 0);
  writeFileSync(join(project, "harn.toml"), manifest);
  writeFileSync(join(project, ".npmrc"), "@acme:registry=http://127.0.0.1:9/\n");
  await step("honours .npmrc", project, `${HARN} lock`, 77, /must come from http:\/\/127\.0\.0\.1:9\//);
  rmSync(join(project, ".npmrc"));
  policy('require_provenance = ["@acme/*"]');
  await step("passes over no missing provenance", project, `${HARN} lock`, 77, /has no attestation of it/);
  await step("at no load either", project, `${HARN} trust --yes; ${ask("ls")}`, 77, /HARN_E_PROVENANCE/);
}
