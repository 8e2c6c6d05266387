import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../house/repository.js";

const bin = join(root, "packages/cli/dist/bin.js");
const scratch = mkdtempSync(join(tmpdir(), "harn-start-"));
const code = join(scratch, "harn", "code");
afterAll(() => rmSync(scratch, { recursive: true }));
beforeEach(() => rmSync(join(scratch, "harn"), { recursive: true, force: true }));

function events(env: Record<string, string> = {}): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, "list", "--events", "--json"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: scratch, XDG_CACHE_HOME: scratch, ...env },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

function kept(): string {
  const [name = ""] = readdirSync(code).filter((file) => file.endsWith("-list"));
  return join(code, name);
}

describe("the code of a verb is kept for its next start", () => {
  test("in a file that is its owner's alone, and gives the same answer", () => {
    const first = events();
    const { mtimeMs } = statSync(kept());
    if (process.platform !== "win32") expect(statSync(kept()).mode & 0o077).toBe(0);
    expect(events()).toBe(first);
    expect(statSync(kept()).mtimeMs, "it was used, and not made again").toBe(mtimeMs);
  });

  test.skipIf(process.platform === "win32")("and one that others could have written is passed over", () => {
    const first = events();
    writeFileSync(kept(), "forged");
    chmodSync(kept(), 0o666);
    expect(events()).toBe(first);
    expect(statSync(kept()).mode & 0o077, "and replaced").toBe(0);
  });

  test.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    ["of zeros", (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ["changed in the middle", (bytes: Buffer) => Buffer.from(bytes).fill(7, bytes.length / 2, bytes.length / 2 + 64)],
  ])("and one that is %s is made again", (_, spoil) => {
    const first = events();
    const whole = readFileSync(kept());
    writeFileSync(kept(), spoil(whole));
    expect(events()).toBe(first);
    expect(readFileSync(kept()).length).toBeGreaterThan(whole.length / 2);
  });

  test("unless it cannot be, or must not be", () => {
    writeFileSync(join(scratch, "harn"), "a file where a directory should be");
    const without = events();
    rmSync(join(scratch, "harn"));
    expect(events({ HARN_CODE_CACHE: "off" })).toBe(without);
    expect(() => readdirSync(code)).toThrow();
  });

  test("and what is old goes", () => {
    mkdirSync(code, { recursive: true });
    writeFileSync(join(code, "0123-v20.0.0-list"), "");
    utimesSync(join(code, "0123-v20.0.0-list"), 0, 0);
    events();
    expect(readdirSync(code)).not.toContain("0123-v20.0.0-list");
  });
});
