import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { membersOf } from "./archive-names.js";
import {
  compileGlobs,
  foldPath,
  isInside,
  locate,
  resolveReal,
  shellTextOf,
  usesOfCall,
  usesOfShell,
} from "./index.js";
import { expandBraces, matchesName, matchesStart } from "./wildcard.js";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-paths-")));
afterAll(() => rmSync(scratch, { recursive: true }));
mkdirSync(join(scratch, "a/b"), { recursive: true });
writeFileSync(join(scratch, "a/b/c"), "x");
symlinkSync("b", join(scratch, "a/rel"));
symlinkSync(join(scratch, "a"), join(scratch, "abs"));
symlinkSync("nowhere/x", join(scratch, "dangling"));

const around = { home: "/home/me", variables: { DIR: "/var/x" } };
const shell = (command: string) =>
  usesOfShell(command, { cwd: "/w", home: "/home/me" }).uses.map(
    ({ access, path, base }) => `${access} ${path.startsWith("/") ? path : `${base}/${path}`}`,
  );

describe("names", () => {
  test.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "a.tsx", false],
    ["a?c", "abc", true],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["*a*b*c*", "xxaxxbxxcxx", true],
  ])("%s and %s: %s", (pattern, name, fits) => expect(matchesName(pattern, name)).toBe(fits));

  test("agree with an expression that says the same, and never take long", () => {
    const pattern = fc.array(fc.constantFrom("*", "?", "a", "b"), { maxLength: 12 }).map((parts) => parts.join(""));
    const name = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, name, (glob, text) => {
        const regex = new RegExp(`^${glob.replace(/\*+/g, ".*").replaceAll("?", ".")}$`);
        expect(matchesName(glob, text)).toBe(regex.test(text));
      }),
      { seed: 5, numRuns: 2_000 },
    );
    expect(matchesName("*a".repeat(2_000), "a".repeat(4_000))).toBe(true);
    expect(matchesStart([...Array(200).fill("**"), "z"], Array(2_000).fill("a"))).toBe(false);
  });

  test("braces are written out", () => {
    expect(expandBraces("{a,b}/{c,d}")).toEqual(["a/c", "a/d", "b/c", "b/d"]);
    expect(expandBraces("a{b}c")).toEqual(["a{b}c"]);
  });

  test("that may be one file are one", () => {
    for (const name of [".ENV", ".env.", ".env ", ".env::$DATA", ".e\u200bnv", "\uff0eenv"])
      expect(foldPath(`/x/${name}`)).toBe("/x/.env");
    expect(foldPath("/x/cafe\u0301")).toBe(foldPath("/x/caf\u00e9"));
    expect(foldPath("/a/./b/../c")).toBe("/a/./b/../c");
  });
});

describe("patterns of a list", () => {
  const globs = (...patterns: string[]) => compileGlobs(patterns, { roots: ["/w"], home: "/home/me" });

  test.each([
    ["*.lock", "/w/a/b/yarn.lock", true],
    ["*.lock", "/elsewhere/yarn.lock", null],
    ["docs", "/w/x/docs/y/z", true],
    ["docs/", "/w/docs/y", true],
    ["src/*.ts", "/w/src/a.ts", true],
    ["src/*.ts", "/w/x/src/a.ts", null],
    ["src/**", "/w/src/a/b", true],
    ["src/**", "/w/src", null],
    ["**/x/**/y", "/w/x/y", true],
    ["./a", "/w/b/a", null],
    ["**", "/w", true],
    ["/etc", "/etc/passwd", true],
    ["/etc", "/etcetera", null],
    ["~/.ssh", "/home/me/.ssh/id", true],
  ])("%s and %s: %s", (pattern, path, fits) => expect(globs(pattern)(path)).toBe(fits));

  test("the last that fits decides", () => {
    expect(globs("**", "!docs/**", "docs/open")("/w/docs/a")).toBe(false);
    expect(globs("**", "!docs/**", "docs/open")("/w/docs/open/a")).toBe(true);
  });

  test("a directory ends at a separator", () => {
    expect([
      isInside("/project", "/project"),
      isInside("/workshop", "/project"),
      isInside("/project/x", "/project"),
      isInside("/x", "/"),
    ]).toEqual([true, false, true, true]);
  });
});

describe("where a path leads", () => {
  test.each([
    ["a/b/c", "a/b/c"],
    ["a/rel/c", "a/b/c"],
    ["abs/rel/../b/new/file", "a/b/new/file"],
    ["dangling", "nowhere/x"],
    ["dangling/deeper", "nowhere/x/deeper"],
    ["a/b/c/below-a-file", "a/b/c/below-a-file"],
  ])("%s", (path, real) =>
    expect(resolveReal(`${scratch}/${path}`)).toMatchObject({
      problem: null,
      path: join(scratch, real),
    }),
  );

  test("every reading of it counts", () => {
    const paths = (path: string, base = scratch) => locate(path, base, around).map((one) => one.path);
    expect(paths("abs/../x")).toEqual(expect.arrayContaining([join(scratch, "x")]));
    expect(paths("~/x")).toContain("/home/me/x");
    expect(paths("$DIR/x")).toContain("/var/x/x");
    expect(paths("${NONE}/etc/x")).toContain("/etc/x");
    expect(paths("file:///etc/%78")).toContain("/etc/x");
    expect(paths("a\\..\\..\\x")).toContain(join(scratch, "../x"));
  });

  test.each(["/proc/self/root/x", "/proc/12/cwd", "/dev/fd/9", "a\0b", "\\\\host\\share", `/${"x".repeat(9_000)}`])(
    "nobody knows: %j",
    (path) => {
      expect(locate(path, "/", around).some(({ problem }) => problem !== null)).toBe(true);
    },
  );

  test("agrees with the system wherever a path exists", () => {
    const part = fc.constantFrom("a", "b", "rel", "abs", "..", ".", "c");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const path = `${scratch}/${parts.join("/")}`;
        let real: string;
        try {
          real = realpathSync(path);
        } catch {
          return;
        }
        expect(resolveReal(path)).toMatchObject({ path: real, exists: true });
      }),
      { seed: 9, numRuns: 2_000 },
    );
  });
});

describe("what a command does", () => {
  test.each([
    ["cp a b c", ["read /w/a", "read /w/b", "write /w/c", "write /w/c/a", "write /w/c/b"]],
    ["sometool --conf=/etc/x --timeout 5", ["read /w/5", "read /etc/x"]],
    ["PYTHONPATH=/etc/lib:src python3 x.py", ["read /etc/lib", "read /w/src", "read /w/x.py"]],
    ["export LD_PRELOAD=/etc/x.so", ["read /etc/x.so"]],
    ["git commit -m '/etc/x'", []],
    ["jq --arg p /etc/x . f", ["read /w/f"]],
    ["python3 -c 'open(chr(47) + \"etc/x\")'", ["read /w/etc/x", "read /etc/x"]],
    ['python3 -c \'print(x.replace("/etc/", "/opt/"))\'', []],
    ["patch -p1 <<E\n--- a/x\n+++ b/../y\nE", ["write /w/a/x", "write /w/x", "write /w/b/../y", "write /w/../y"]],
    ['cat $(basename "$x/a.ts")', ["read /w/0"]],
    ["tar -cf x a -C d b", ["write /w/x", "read /w/d", "read /w/a", "read /w/d/b"]],
    ["tar -xf x -C a -C ../b", ["read /w/x", "write /w/a/../b"]],
    ["pushd a; cd b; popd; cat ../x", ["read /w/a", "read /w/a/b", "read /w/../x"]],
    ["mv a b", ["write /w/a", "write /w/b"]],
    ["sed -i s/x/y/ f", ["write /w/f"]],
    ["sed s/x/y/ f", ["read /w/f"]],
    ["tee -a x < y", ["read /w/y", "write /w/x"]],
    ["dd if=a of=b bs=1", ["read /w/a", "write /w/b"]],
    ["tar xzf a.tgz -C out", ["read /w/a.tgz", "write /w/out"]],
    ["tar -cf a.tar src", ["write /w/a.tar", "read /w/.", "read /w/src"]],
    ["cd d && cat ../x > y", ["read /w/d", "write /w/d/y", "read /w/d/../x"]],
    ["git -C sub commit", ["write /w/sub"]],
    ["git -C sub log", ["read /w/sub"]],
    ["curl -o x -d @y https://h/z", ["write /w/x", "read /w/y"]],
    ["rsync -a a/ host:b", ["read /w/a/"]],
    ["grep -e x f", ["read /w/f"]],
    ["chmod 600 f", ["write /w/f"]],
    ["echo a b c", []],
    ["ssh host cat /etc/x", []],
    ["unknown --out=/x -o y /etc/z /no-such-route", ["read /w/y", "read /etc/z", "write /w/y", "write /x"]],
    ['python3 -c \'open("f.txt","w")\'', ["write /w/f.txt"]],
  ])("%s", (command, uses) => expect(shell(command)).toEqual(uses));

  test("what comes out of an archive is written, where it can be looked at", () => {
    const stage = join(scratch, "stage");
    mkdirSync(join(stage, "deep"), { recursive: true });
    writeFileSync(join(stage, "harmless"), "x");
    symlinkSync("../../away", join(stage, "deep/link"));
    execFileSync("tar", ["czf", join(scratch, "x.tgz"), "-C", stage, "harmless", "deep/link"]);
    const found = (command: string) => usesOfShell(command, { cwd: scratch, home: "/home/me" }).uses;
    const written = found("tar xzf x.tgz -C a").filter(({ access }) => access === "write");
    expect(written.map(({ path }) => path)).toEqual([
      "a",
      join(scratch, "a/harmless"),
      join(scratch, "a/deep/link"),
      `${scratch}/a/deep/../../away`,
    ]);
    expect(written.some(({ brings }) => brings)).toBe(false);
    expect(found("tar xf nowhere.tar").some(({ brings }) => brings)).toBe(true);
    expect(found("curl https://x | tar xz").some(({ brings }) => brings)).toBe(true);
  });

  test("no archive, damaged or hostile, makes it throw", () => {
    const file = join(scratch, "damaged");
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 1_200 }),
        fc.constantFrom("PK", "\x1f\x8b", "ustar", ""),
        (bytes, start) => {
          writeFileSync(file, Buffer.concat([Buffer.from(start, "latin1"), bytes]));
          membersOf(file);
        },
      ),
      { numRuns: 300, seed: 3 },
    );
    expect(membersOf(scratch)).toBeNull();
  });

  test("no argument makes it throw: what no disk could have as a name is not there", () => {
    for (const text of [
      "\u65e5".repeat(200),
      `/${"x".repeat(300)}/y`,
      `${"x/".repeat(2_000)}y`,
      "\ud800",
      "a\u0000b",
    ]) {
      expect(() =>
        usesOfCall({ name: "mcp__x__y", args: { note: text, path: text } }, { cwd: "/w", home: "/h" }),
      ).not.toThrow();
      for (const command of [
        `git x '${text}'`,
        `tool --x='${text}'`,
        `cp -r '${text}' a`,
        `tar xf '${text}'`,
        `patch -i '${text}'`,
      ])
        expect(() => shell(command)).not.toThrow();
    }
  });

  test("says what only a run shows", () => {
    expect(usesOfShell("cat $X; rm -r $(ls) a", { cwd: "/w", home: "/h" }).unclear).toHaveLength(2);
    expect(usesOfShell("x=1; echo $x $?", { cwd: "/w", home: "/h" }).unclear).toEqual([]);
  });

  test("no text makes it throw", () => {
    const words =
      "cat cp mv ln -s sed -i tar -xf -C git dd of= > >> < | && ; ( ) $( ` ' \" \\ * ? [ ] { } , ~ $HOME $X .. / /etc a.txt -- -o --out= @f << EOF \n # = find -exec {} + xargs python3 -c".split(
        " ",
      );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...words), { maxLength: 25 }),
        fc.string({ unit: "binary", maxLength: 8 }),
        (parts, noise) => {
          usesOfCall(
            { name: "Bash", args: { command: `${parts.join(" ")}${noise}` } },
            { cwd: scratch, home: "/home/me" },
          );
        },
      ),
      { seed: 3, numRuns: 1_500 },
    );
  });
});

describe("tool calls", () => {
  const uses = (name: string, args: Record<string, unknown>) =>
    usesOfCall({ name, args }, { cwd: "/w", home: "/home/me" }).uses.map(({ access, path, field }) => [
      access,
      path,
      field,
    ]);

  test("fields by any spelling, deep ones too, and texts left alone", () => {
    expect(uses("Write", { file_path: "a", content: "/etc/passwd" })).toEqual([["write", "a", ["file_path"]]]);
    expect(uses("edit", { edits: [{ filePath: "a", newString: "/x" }] })).toEqual([
      ["write", "a", ["edits", 0, "filePath"]],
    ]);
    expect(uses("mcp__fs__read_file", { path: "a" })).toEqual([["read", "a", ["path"]]]);
    expect(uses("anything", { odd_key: "/etc/x" })).toEqual([["write", "/etc/x", ["odd_key"]]]);
    expect(uses("WebFetch", { url: "https://x/y" })).toEqual([]);
  });

  test("the shell text of any agent", () => {
    expect(shellTextOf({ name: "Bash", args: { command: "ls" } })).toBe("ls");
    expect(shellTextOf({ name: "shell", args: { command: ["bash", "-lc", "a 'b'"] } })).toBe(
      "bash -lc 'a '\\''b'\\'''",
    );
    expect(shellTextOf({ name: "str_replace_editor", args: { command: "view", path: "x" } })).toBeUndefined();
    expect(shellTextOf({ name: "apply_patch", args: { command: "*** Begin Patch" } })).toBeUndefined();
    expect(shellTextOf({ name: "Read", args: { file_path: "x" } })).toBeUndefined();
  });
});
