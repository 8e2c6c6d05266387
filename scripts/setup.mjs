// Makes a clone ready with nothing but Node and npm. A second run installs nothing and builds nothing.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
// A network that is away for a moment is no reason to give up.
const NETWORK = /EAI_AGAIN|ECONNRESET|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;
const PAUSES = [5, 20, 60];

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(root, "node_modules", ".harn-setup");
const nodeMajor = Number.parseInt(process.versions.node, 10);

if (nodeMajor < OLDEST_NODE) {
  fail(`Harn needs Node ${OLDEST_NODE} or newer; this is Node ${process.versions.node}.`);
}

const wanted = fingerprint();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  install();
  writeFileSync(stamp, wanted);
}
await build();

function install() {
  const { packageManager } = JSON.parse(read("package.json"));
  const pnpm = packageManager.split("+")[0];
  console.error(`Installing dependencies with ${pnpm} ...`);
  // Another package manager may have started this script; only npm's own CLI has `exec` with these options.
  const npm = process.env.npm_execpath ?? "";
  const [command, first] = npm.endsWith("npm-cli.js") ? [process.execPath, [npm, "exec"]] : ["npx", []];
  const run = () =>
    spawnSync(command, [...first, "--yes", "--", pnpm, "install", "--frozen-lockfile"], {
      cwd: root,
      // Without a terminal pnpm asks before it replaces node_modules, and gets no answer.
      env: { ...process.env, CI: "true" },
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      // On Windows npx is a batch file, which only a shell can start.
      shell: process.platform === "win32" && command === "npx",
    });
  let result = run();
  for (const pause of PAUSES) {
    if (result.status === 0 || !NETWORK.test(`${result.stdout}${result.stderr}`)) break;
    console.error(`The registry cannot be reached; trying again in ${pause} s ...`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause * 1000);
    result = run();
  }
  if (result.status === 0) return;
  console.error(result.stdout ?? "", result.stderr ?? "");
  fail(
    `Installing dependencies failed (${result.error?.message ?? `exit code ${result.status}`}).`,
    "The output above says why. The first install needs a network; run the same command again once it is fixed.",
  );
}

async function build() {
  for (const folder of memberManifests().map(dirname)) dropStale(folder);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-b"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) fail("The build failed; the compiler's messages are above.");
  // Its bundler is there only now.
  const { bundle } = await import("./bundle.mjs");
  await bundle();
}

/** The compiler leaves the output of a source that was renamed or removed, and it would be published. */
function dropStale(folder) {
  const dist = join(root, folder, "dist");
  // A bundle has files of its own names.
  if (!existsSync(dist) || existsSync(join(dist, ".bundle.json"))) return;
  for (const file of readdirSync(dist, { recursive: true })) {
    const source = /^(.*?)\.(?:js|d\.ts)(?:\.map)?$/.exec(file)?.[1];
    if (source !== undefined && !existsSync(join(root, folder, "src", `${source}.ts`))) rmSync(join(dist, file));
  }
}

/** Everything that decides what an install puts into node_modules. */
function fingerprint() {
  const hash = createHash("sha256").update(`node ${nodeMajor} ${process.platform} ${process.arch}`);
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", ...memberManifests()]) {
    hash.update(`\0${file}\0${read(file)}`);
  }
  return hash.digest("hex");
}

function memberManifests() {
  const globs = read("pnpm-workspace.yaml").matchAll(/^\s*-\s+(\w+)\/\*\s*$/gm);
  return [...globs]
    .flatMap(([, folder]) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`))
    .filter((file) => existsSync(join(root, file)))
    .sort();
}

function read(file) {
  return readFileSync(join(root, file), "utf8");
}

function fail(...lines) {
  console.error(lines.join("\n"));
  process.exit(1);
}
