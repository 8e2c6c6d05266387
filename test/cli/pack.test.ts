// Every reason for which a pack cannot be published, each made in a pack that could.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../house/repository.js";

const bin = join(root, "packages/cli/dist/bin.js");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-pack-")));
// Nothing here may reach a registry: it has none.
const env = { PATH: process.env.PATH, HOME: join(scratch, "home"), npm_config_registry: "http://127.0.0.1:9/" };
const whole = join(scratch, "policy-pack");

function harn(cwd: string, ...args: string[]): Promise<{ status: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.on("close", (status) => resolve({ status, out, err }));
  });
}

interface Answer {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly fact: string }[];
}

beforeAll(async () => {
  await harn(scratch, "new", "pack", "@acme/policy-pack");
});
afterAll(() => rmSync(scratch, { recursive: true }));

class Pack {
  constructor(readonly path: string) {}

  edit(file: string, change: (text: string) => string): void {
    writeFileSync(join(this.path, file), change(readFileSync(join(this.path, file), "utf8")));
  }

  json(change: (description: Record<string, unknown>) => void): void {
    this.edit("package.json", (text) => {
      const description = JSON.parse(text) as Record<string, unknown>;
      change(description);
      return JSON.stringify(description);
    });
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }
}

const MISTAKES: readonly (readonly [check: string, fact: RegExp, make: (pack: Pack) => void])[] = [
  ["version", /undefined/, (pack) => pack.json((json) => delete json.version)],
  ["keyword", /none/, (pack) => pack.json((json) => delete json.keywords)],
  ["license", /undefined/, (pack) => pack.json((json) => delete json.license)],
  ["private", /private/, (pack) => pack.json((json) => Object.assign(json, { private: true }))],
  [
    "scripts",
    /install scripts: postinstall/,
    (pack) => pack.json((json) => Object.assign(json, { scripts: { postinstall: "true" } })),
  ],
  [
    "scripts",
    /binding\.gyp/,
    (pack) => {
      pack.write("binding.gyp", "{}");
      pack.json((json) => (json.files as string[]).push("binding.gyp"));
    },
  ],
  ["manifest", /0\.9\.0/, (pack) => pack.edit("harn.toml", (text) => text.replace('"0.1.0"', '"0.9.0"'))],
  ["policy", /unknown key "nonsense"/, (pack) => pack.edit("harn.toml", (text) => `nonsense = 1\n${text}`)],
  ["policy", /rules2\.js/, (pack) => pack.edit("harn.toml", (text) => `${text}\n[exports]\nr = "rules2.js"\n`)],
  ["runtime", /must say/, (pack) => pack.edit("harn.toml", (text) => text.replace(/^harn = .*$/m, ""))],
  ["exports", /exports no "guard"/, (pack) => pack.edit("rules.js", (text) => text.replace("guard", "watch"))],
  [
    "policy",
    /options schema .* cannot be used/,
    (pack) => pack.edit("options.schema.json", (text) => text.replace('"tunable": "add"', '"tuneable": "add"')),
  ],
  [
    "options",
    /"deny" is tunable and needs a default/,
    (pack) => {
      pack.edit("options.schema.json", (text) => text.replace(/"default": \[[^\]]*\],/, ""));
      pack.edit("harn.toml", (text) => text.replace(/^options = .*$/m, ""));
    },
  ],
  ["needs", /@hooks\/shell/, (pack) => pack.edit("rules.js", (text) => `import "@hooks/shell";\n${text}`)],
  ["files", /must list/, (pack) => pack.json((json) => delete json.files)],
  [
    "files",
    /not published: rules\.js/,
    (pack) => pack.json((json) => Object.assign(json, { files: ["harn.toml", "options.schema.json"] })),
  ],
  [
    "files",
    /not published: part\.js/,
    (pack) => {
      pack.write("part.js", "");
      pack.edit("rules.js", (text) => `import "./part.js";\n${text}`);
    },
  ],
  ["tests", /some fail/, (pack) => pack.edit("policy.harn-test.toml", (text) => text.replace('"block"', '"allow"'))],
  [
    "gates",
    /never seen blocking: command-guard/,
    (pack) => pack.edit("policy.harn-test.toml", (text) => text.slice(text.lastIndexOf("[[cases]]"))),
  ],
  ["readme", /no row for command-guard/, (pack) => pack.write("README.md", "It has a command-guard.\n")],
];

describe("pack check", () => {
  test("a new pack can be published once its own code is trusted", async () => {
    const before = await harn(whole, "pack", "check", "--json");
    expect(before.status).toBe(1);
    expect((JSON.parse(before.out) as Answer).checks.filter(({ ok }) => !ok)).toEqual([
      { name: "tests", ok: false, fact: expect.stringMatching(/not trusted.*harn trust/) },
    ]);
    await harn(whole, "trust", "--yes");
    const after = await harn(whole, "pack", "check");
    expect(after).toMatchObject({ status: 0, out: expect.not.stringContaining("FAIL") });
  });

  test.concurrent.each(MISTAKES.map(([check, fact, make], index) => ({ index, check, fact, make })))(
    "$index: $check, and publish refuses it too",
    { timeout: 60_000 },
    async ({ index, check, fact, make }) => {
      const path = join(scratch, `mistake-${index}`, "policy-pack");
      cpSync(whole, path, { recursive: true });
      make(new Pack(path));
      await harn(path, "trust", "--yes");
      const { status, out } = await harn(path, "publish", "--json");
      const { checks } = JSON.parse(out) as Answer;
      expect(status).toBe(1);
      expect(checks.filter((one) => !one.ok).map(({ name }) => name)).toContain(check);
      expect(checks.find((one) => !one.ok && one.name === check)?.fact).toMatch(fact);
    },
  );
});
