import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { login, loopbackRegistry } from "./publishing.js";
import type { Registry } from "./registry.js";
import type { Tarball } from "./tarball.js";

const VERSION = "6.8.0";

/** Starts a real registry on the loopback interface, which asks no other one for anything. */
export async function startVerdaccio(scratch: string): Promise<Registry> {
  const port = await freePort();
  const home = join(scratch, "verdaccio");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "config.yaml"),
    `storage: ${join(home, "storage")}
auth: {}
uplinks: {}
packages:
  "**":
    access: $all
    publish: $all
log: { type: stdout, level: warn }
web: { enable: false }
max_body_size: 100mb
`,
  );
  install(home);
  const bin = join(home, "node_modules", "verdaccio", "bin", "verdaccio");
  const child = spawn(process.execPath, [bin, "--config", join(home, "config.yaml"), "--listen", `127.0.0.1:${port}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (
      await fetch(`${url}/-/ping`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    if (tries > 600 || child.exitCode !== null) throw new Error("verdaccio did not start");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    url,
    close() {
      child.kill();
    },
  };
}

function install(home: string): void {
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERSION },
    // One of its packages asks for a tag of node-fetch, which not every mirror of the registry keeps.
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  const { status, stderr } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: home,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`verdaccio cannot be installed:\n${stderr}`);
}

/** Publishes a tarball with npm itself. Refuses any registry but one on the loopback interface. */
export async function publish({ manifest, bytes }: Tarball, scratch: string, env: NodeJS.ProcessEnv): Promise<void> {
  const registry = loopbackRegistry(env);
  const file = join(scratch, `${manifest.name.replace(/\W/g, "-")}-${manifest.version}.tgz`);
  writeFileSync(file, bytes);
  login(env);
  const status = await new Promise((resolve) => {
    const child = spawn("npm", ["publish", file, "--ignore-scripts", "--registry", registry], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    child.on("close", (code) => resolve(code === 0 ? 0 : said));
  });
  if (status !== 0) throw new Error(`npm publish of ${manifest.name} failed:\n${status}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
