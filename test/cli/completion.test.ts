import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verbs } from "../../packages/cli/src/verbs.js";
import { root } from "../house/repository.js";

const bin = join(root, "packages/cli/dist/bin.js");

function scriptOf(shell: string): string {
  const { stdout, status } = spawnSync(process.execPath, [bin, "completion", shell], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: "/nonexistent" },
  });
  expect(status).toBe(0);
  return stdout;
}

function has(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

/** What bash offers for a line whose last word is being typed. */
function offered(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const probe = `${scriptOf("bash")}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _harn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return spawnSync("bash", ["-c", probe], { cwd: root, encoding: "utf8" }).stdout.split("\n").filter(Boolean);
}

describe.skipIf(!has("bash"))("in bash", () => {
  test("verbs are completed", () => {
    expect(offered("harn", "")).toEqual(expect.arrayContaining([...Object.keys(verbs), "--help"]));
    expect(offered("harn", "val")).toEqual(["validate"]);
  });

  test("flags are completed, each verb its own", () => {
    expect(offered("harn", "validate", "--f")).toEqual(["--format"]);
    expect(offered("harn", "list", "--f")).toEqual([]);
  });

  test("so are the values of a flag, and files", () => {
    expect(offered("harn", "validate", "--format", "s")).toEqual(["sarif"]);
    expect(offered("harn", "explain", "READ")).toEqual(["README.md"]);
  });
});

test.each(["bash", "zsh", "fish"])("%s knows every verb and every flag", async (shell) => {
  const script = scriptOf(shell);
  if (has(shell)) expect(spawnSync(shell, ["-n"], { input: script, encoding: "utf8" }).stderr).toBe("");
  for (const [name, { load }] of Object.entries(verbs)) {
    expect(script).toContain(name);
    const { verb } = await load();
    for (const flag of Object.keys(verb.flags))
      expect(script, `--${flag} of ${name}`).toMatch(new RegExp(`-l ${flag}|--${flag}`));
  }
});
