// Packs every package, publishes them to a registry on loopback, and walks through a project with npm and with pnpm.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../house/repository.js";
import { environment, runShell } from "./environment.js";
import { walkPolicy } from "./policy-walk.js";
import { packFor, publishedFolders } from "./registry.js";
import { publish, startVerdaccio } from "./verdaccio.js";
import { STEPS } from "./walk.js";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-e2e-")));
const registry = await startVerdaccio(scratch);
try {
  const tarballs = await packFor([...publishedFolders().keys()], scratch);
  const publisher = environment(join(scratch, "publisher"), registry);
  for (const tarball of tarballs) await publish(tarball, scratch, publisher);
  console.log(`published ${tarballs.length} packages to ${registry.url}`);
  const pnpm = `"${process.execPath}" "${join(root, "node_modules/pnpm/bin/pnpm.cjs")}"`;
  await walk("npm", "npm init --yes && npm install --save-dev harn", "npx harn");
  await walk(
    "pnpm",
    `pnpm() { ${pnpm} "$@"; }; export -f pnpm; pnpm init && pnpm add --save-dev harn`,
    "node_modules/.bin/harn",
  );
  await walkPolicy(registry, join(scratch, "policy"), (name) => console.log(`ok   pack ${name}`));
} finally {
  registry.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function walk(manager: string, begin: string, harn: string): Promise<void> {
  const cwd = join(scratch, manager, "project");
  mkdirSync(cwd, { recursive: true });
  const bin = join(scratch, manager, "bin");
  mkdirSync(bin, { recursive: true });
  const env = environment(join(scratch, manager, "home"), registry);
  const steps = [{ name: "install", script: begin, expect: undefined }, ...STEPS(harn)];
  for (const { name, script, expect } of steps) {
    const { status, stdout, stderr } = await runShell(script, cwd, { ...env, PATH: `${bin}:${env.PATH}` });
    const isRight = status === 0 && (expect === undefined || expect.test(stdout + stderr));
    console.log(`${isRight ? "ok  " : "FAIL"} ${manager.padEnd(4)} ${name}`);
    if (!isRight) throw new Error(`${manager}, ${name}: exit ${status}, wanted ${expect}\n${stdout}\n${stderr}`);
  }
}
