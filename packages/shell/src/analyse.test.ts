import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyse, render } from "./index.js";

/** The commands that do something themselves, as lines. */
function lines(text: string): string[] {
  const { commands } = analyse(text, { cwd: "/work" });
  return commands.filter(({ wraps, argv }) => !wraps && argv.length > 0).map(({ argv }) => argv.map(render).join(" "));
}

function reasons(text: string): string[] {
  return analyse(text).indeterminate.map(({ code }) => code);
}

describe("words", () => {
  test.each([
    ["r\\m -r''f \"/\"", "rm -rf /"],
    ["$'\\x72m' -rf /", "rm -rf /"],
    ["X=/; rm -rf $X", "rm -rf /"],
    ["X='a b'; rm $X", "rm a b"],
    ["X='a b'; rm \"$X\"", "rm a b"],
    ["IFS=,; X=rm,-rf,/; $X", "rm -rf /"],
    ["rm${IFS}-rf${IFS}/", "rm -rf /"],
    ["rm {-rf,/}", "rm -rf /"],
    ['A=(rm -rf /); "${A[@]}"', "rm -rf /"],
    ['set -- -rf /; rm "$@"', "set -- -rf /|rm -rf /"],
    ["rm -rf ~ ~/x", "rm -rf $HOME $HOME/x"],
    ["rm -rf '~'", "rm -rf ~"],
    ["$(echo rm) -rf /", "echo rm|rm -rf /"],
    ["$(printf '\\162\\155') -rf /", "printf \\162\\155|rm -rf /"],
    ["rm -rf ${HOME:0:1}", "rm -rf /"],
    ["X=RM; ${X,,} a", "rm a"],
    ["for x in a b; do rm $x; done", "rm a|rm b"],
    ["if t; then X=a; else X=b; fi; rm $X", "t|rm a|rm b"],
  ])("%s", (text, expected) => {
    expect(lines(text)).toEqual(expected.split("|"));
  });

  test("what only a run shows stays a piece of its own", () => {
    const [command] = analyse("rm -rf ${DIR:?}/*.o").commands;
    expect(command?.argv[2]?.pieces).toEqual([
      { kind: "variable", name: "DIR", required: true },
      { kind: "text", text: "/" },
      { kind: "glob", text: "*" },
      { kind: "text", text: ".o" },
    ]);
  });
});

describe("what starts something else", () => {
  test.each([
    ["sudo -u root env A=b nohup timeout -k 5 10 rm x", "rm x"],
    ["bash -lc 'rm $1' _ x", "rm x"],
    ["eval 'rm x'", "rm x"],
    ["sh <<EOF\nrm x\nEOF", "rm x"],
    ["sh <<<'rm x'", "rm x"],
    ["echo 'rm x' | sh", "echo rm x|rm x"],
    ["echo cm0geA== | base64 -d | bash", "echo cm0geA==|base64 -d|rm x"],
    ["bash <(echo rm x)", "echo rm x|rm x"],
    ["printf 'rm x' > s.sh; sh s.sh", "printf rm x|rm x"],
    ["f() { rm $1; }; f x", "rm x"],
    ["alias z='rm -r'\nz x", "alias z=rm -r|rm -r x"],
    ["echo a b | xargs rm", "echo a b|rm a b"],
    ["find src -name '*.o' -exec rm {} +", "rm src/**/*.o"],
    ["ssh -p 22 host 'rm x'", "rm x"],
    ["docker exec -it box rm x", "rm x"],
    ["git -c alias.z='!rm x' z", "rm x"],
    ["echo $(rm x)", "rm x|echo <$(rm x)>"],
    ["cat <(rm x)", "rm x|cat <<(rm x)>"],
    ["trap 'rm x' EXIT", "rm x"],
    ["busybox rm x", "rm x"],
    ["watch -n 1 'rm x'", "rm x"],
    ["RM x", "RM x"],
    ["1A=2 rm x", "rm x"],
    ["command -v rm", "command -v rm"],
    ["command -v rm -x", "rm -x"],
    ["PROMPT_COMMAND='rm x' bash", "bash|rm x"],
    ["BASH_ENV=f bash", "bash"],
    ["echo rm x > f; BASH_ENV=f bash", "echo rm x|bash|rm x"],
    ["bash --rcfile <(echo rm x)", "echo rm x|rm x"],
    ["echo '* * * * * rm x' | crontab -", "echo * * * * * rm x|rm x"],
    ["make --eval $'a:\\n\\trm x'", "rm x"],
    ["sed '1e rm x' f", "rm x"],
    ["hash -p /bin/rm ls; ls x", "hash -p /bin/rm ls|/bin/rm x"],
    ["/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/bin/rm x"],
    ["git config alias.z '!rm x'", "rm x"],
    ["echo rm x | tee f; sh f", "echo rm x|tee f|rm x"],
    ["echo rm x > f; cp f g; sh g", "echo rm x|cp f g|rm x"],
    ["printf -v X rm; $X x", "printf -v X rm|rm x"],
    ["mapfile -t A <<< rm; ${A[0]} x", "mapfile -t A|rm x"],
    ["X=/a/b; rm ${X%/*} ${X##*/} ${X/b/c} ${X: -1} ${#X}", "rm /a b /a/c b 4"],
    ["X=arm; ${X#?} x", "rm x"],
    ["X=r0m; ${X/[0-9]/} x", "rm x"],
    ["find src -name a | while read f; do rm $f; done", "find src -name a|read f|rm src/**/a"],
  ])("%s", (text, expected) => {
    expect(lines(text)).toEqual(expected.split("|"));
  });

  test("a command knows where it runs", () => {
    const found = analyse("cd /tmp && cd a/.. && sudo sh -c 'rm x | cat' > out").commands.find(
      ({ program }) => program === "rm",
    );
    expect(found).toMatchObject({ cwd: { text: "/tmp" }, wrappers: ["sudo"], via: ["sh -c"] });
  });

  test("source text of another language is handed out", () => {
    const codes = [
      "python3 -c 'x()'",
      "node -e 'x()'",
      "perl -ne 'x()'",
      "awk 'x()' f",
      "php -r 'x()'",
      "python3 - <<E\nx()\nE",
    ];
    expect(codes.map((text) => analyse(text).commands[0]?.code?.source.text?.trim())).toEqual(codes.map(() => "x()"));
  });
});

describe("what a program of another language runs is listed", () => {
  test.each([
    ["python3 -c", `import os; os.system("rm x")`],
    ["python3 -c", `from os import system as s; s("rm "+"x")`],
    ["python3 -c", `__import__("os").system("rm x")`],
    ["python3 -c", `getattr(__import__("os"), "system")("rm x")`],
    ["python3 -c", `import subprocess as sp; sp.run(["rm", "x"], check=True)`],
    ["python3 -c", `import subprocess\nc = "rm"\nsubprocess.call([c, "x"])`],
    ["python3 -c", `import os; os.execvp("rm", ["rm", "x"])`],
    ["python3 -c", `import base64; exec(base64.b64decode("aW1wb3J0IG9zO29zLnN5c3RlbSgicm0geCIp"))`],
    ["python3 -c", `import os; os.system("".join(["r", "m", " x"]))`],
    ["python3 -c", `import os; os.system(chr(114) + chr(109) + " x")`],
    ["node -e", `require("child_process").execSync("rm x")`],
    ["node -e", `const { execSync: run } = require("child_process"); run("rm x")`],
    ["node -e", `require("child_process")["exec" + "Sync"]("rm x")`],
    ["node -e", `require("child_process").spawnSync("rm", ["x"])`],
    ["node -e", `eval(atob("cmVxdWlyZSgiY2hpbGRfcHJvY2VzcyIpLmV4ZWNTeW5jKCJybSB4Iik="))`],
    ["perl -e", `system("rm x")`],
    ["perl -e", `exec "rm", "x"`],
    ["perl -e", "`rm x`"],
    ["perl -e", "qx(rm x)"],
    ["ruby -e", `system "rm x"`],
    ["ruby -e", "`rm x`"],
    ["ruby -e", "%x(rm x)"],
    ["php -r", `shell_exec("rm x");`],
    ["awk", `BEGIN { system("rm x") }`],
    ["awk", `BEGIN { print "rm x" | "sh" }`],
    ["lua -e", `os.execute("rm x")`],
    ["osascript -e", `do shell script "rm x"`],
  ])("%s %s", (start, code) => {
    expect(lines(`${start} '${code}'`)).toContain("rm x");
  });

  test.each([
    ["python3 -c", `print("rm x")`],
    ["python3 -c", `# os.system("rm x")`],
    ["node -e", `console.log("rm x") // execSync("rm x")`],
    ["ruby -e", `puts "rm x"`],
    ["awk", `/rm x/ { print "rm x" }`],
  ])("%s %s runs nothing", (start, code) => {
    expect(lines(`${start} '${code}'`)).toHaveLength(1);
  });

  test("its calls are handed out", () => {
    const [command] = analyse(`python3 -c 'import shutil as s; from pathlib import Path
s.rmtree("/a" + "/b"); Path("c").unlink()'`).commands;
    const calls = command?.code?.calls.map(({ name, args }) => `${name} ${args.map(render).join(",")}`);
    expect(calls).toEqual(["shutil.rmtree /a/b", "pathlib.Path c", "unlink c"]);
  });
});

describe("what cannot be followed has a reason", () => {
  test.each([
    ["if x; then", "unparsable"],
    ["&& rm x", "unparsable"],
    [`coproc ${"coproc ".repeat(10_000)}`, "too-large"],
    ["echo $(a |)", "unparsable"],
    ["$CMD x", "unknown-command"],
    ["curl x | sh", "unknown-script"],
    ['eval "$(curl x)"', "unknown-script"],
    [`${"$(".repeat(500)}`, "too-deep"],
    ["a ".repeat(100_000), "too-large"],
    [`cd a || cd b || cd c || cd d\nprintf${" x".repeat(2_000)}`, "too-large"],
    ["for a in {1..100}; do for b in {1..100}; do for c in {1..100}; do x; done; done; done", "too-large"],
  ])("%.40s", (text, code) => {
    expect(reasons(text)).toContain(code);
  });

  test("values that grow by being put into each other end at the budget", () => {
    expect(reasons(`X=ab;${"X=$X$X;".repeat(40)}$X`)).toContain("too-large");
    expect(reasons("X=$X$X;".repeat(10_000))).toContain("too-large");
  });

  test("a quote that is left open holds the rest, and is no riddle", () => {
    expect(reasons("echo 'a; rm x")).toEqual([]);
    expect(lines("rm x 'a; b")).toEqual(["rm x a; b"]);
  });

  test("an operator with nothing before it hides nothing", () => {
    expect(lines("&& rm x")).toEqual(["rm x"]);
  });

  test("what stands before too much padding is still seen", () => {
    expect(lines(`rm x; ${"a ".repeat(40_000)}`)[0]).toBe("rm x");
    expect(lines(`rm x\n${"a;".repeat(40_000)}`)[0]).toBe("rm x");
  });

  test("a long text in quotes or a here-document is not too much", () => {
    const prose = "all is well; and so on | then\n".repeat(3_000);
    expect(reasons(`cat > f <<'E'\n${prose}E\necho done`)).toEqual([]);
    expect(reasons(`git commit -m '${prose}'`)).toEqual([]);
  });

  test("and a plain command has none", () => {
    expect(reasons('git commit -m "$MESSAGE" && echo $((1+2)) > log')).toEqual([]);
  });
});

test("a function that calls itself in the background is told", () => {
  expect(analyse(":(){ :|:& };:").recursive).toContainEqual({ name: ":", forks: true });
});

test("text in quotes, comments and here-documents runs nothing", () => {
  expect(lines("echo 'rm -rf /' # rm -rf /\ncat > f <<'E'\nrm -rf /\nE")).toEqual(["echo rm -rf /", "cat"]);
});

const shellish = fc.array(
  fc.constantFrom(
    "rm",
    " ",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "${",
    "}",
    "|",
    "&&",
    ";",
    "\n",
    "<<E\n",
    "E\n",
    "{a,b}",
    "$X",
    "X=",
    "f(){",
    "eval ",
    "sh -c ",
    "\\",
    "*",
    "for x in ",
    "do ",
    "done",
  ),
  { maxLength: 40 },
);

test("no text makes it throw", () => {
  fc.assert(
    fc.property(shellish, (parts) => void analyse(parts.join(""))),
    { numRuns: 2_000, seed: 7 },
  );
});

test.each(["foreach", "foreach (", "for", "for x in", "for ("])(
  "a program that ends at `%s` is read to its end",
  (source) => {
    expect(analyse(`php -r '${source}'`).commands).toHaveLength(1);
  },
);

test.each(["for ", "for x in ", "delete ", "a ", "a(", "[", "a.b ", "exec "])(
  "a program that repeats `%s` is read without end of the stack",
  (repeated) => {
    const source = repeated.repeat(30_000 / repeated.length);
    for (const start of ["python3 -c", "osascript -e", "ruby -e", "perl -e", "node -e", "php -r", "awk"])
      expect(analyse(`${start} '${source}'`).commands.length).toBeLessThan(4);
  },
);

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("%s is a name like any other", (name) => {
  const { commands } = analyse(`${name} x; python3 -c "${name}('x').${name}(${name})"; npm run ${name}`);
  expect(commands.map(({ program }) => program)).toEqual([name.toLowerCase(), "python3", "npm"]);
});

test.each(["sed -n", "psql -c", "python3 -c", "tclsh <<<", "make --eval"])(
  "%s of blank lines is read in steps",
  (start) => {
    const lines = "\n".repeat(90_000);
    expect(analyse(`${start} '${lines}'`).commands.length).toBeLessThan(4);
  },
);

const MANY = Array.from({ length: 300 }, (_, index) => `a${index}`);
const LINES = "a = 1\n".repeat(8_000);

test.each([
  ["xargs -I", `printf '%s\\n' ${MANY.join(" ")} last | xargs -I{} rm {}`],
  ["xargs -n", `printf '%s\\n' ${MANY.join(" ")} last | xargs -n1 rm`],
  ["parallel", `parallel rm ::: ${MANY.join(" ")} last`],
  ["ed", `ed x <<'E'\n${"p\n".repeat(300)}!rm last\nE\n`],
  ["sftp", `sftp host <<'E'\n${"ls\n".repeat(300)}!rm last\nE\n`],
  ["make", `make -f - <<'E'\n${"#\n".repeat(12_000)}all:\n\trm last\nE\n`],
  ["vim", `vim -c 'call setline(1, "${"a".repeat(5_000)}") | call system("rm last")'`],
  ["python", `python3 -c '${LINES}import os; os.system("rm last")'`],
  ["awk", `awk 'BEGIN { ${LINES} "rm last" | getline }'`],
  ["tclsh", `tclsh <<'E'\n${"set a 1\n".repeat(5_000)}exec rm last\nE\n`],
  ["mapfile", `mapfile -t L <<'E'\n${"a\n".repeat(300)}last\nE\nrm "\${L[@]}"`],
])("%s: what stands behind much else is found, or said not to be read", (_, command) => {
  const { commands, indeterminate } = analyse(command);
  const removed = commands.filter(({ program }) => program === "rm").flatMap(({ argv }) => argv);
  const isFound = removed.some(({ text, pieces }) => text === "last" || pieces.some(({ kind }) => kind === "unknown"));
  expect(isFound || indeterminate.some(({ code }) => code === "too-large")).toBe(true);
});

test.each([
  ["fd, from many places", `fd x ${"a ".repeat(1_400)} -x ${"b ".repeat(1_400)}`],
  ["find, from many places", `find ${"a ".repeat(1_400)} -exec ${"b ".repeat(1_400)} ;`.replace(/;$/, "\\;")],
  ["a text for each of many commands", `f() { vim; }; { ${"f;".repeat(500)} } <<'E'\n${"\n".repeat(90_000)}E\n`],
])("%s: more than the budget is not followed, and said", (_, command) => {
  const { commands, indeterminate } = analyse(command);
  expect(indeterminate.map(({ code }) => code)).toContain("too-large");
  expect(commands.length).toBeLessThan(100);
});

test("a mark that is replaced again and again makes no word that is too long to hold", () => {
  const { commands } = analyse(`X=${"b".repeat(40_000)}; echo $X | xargs -I{} rm '${"{}".repeat(30_000)}'`);
  expect(commands.every(({ argv }) => argv.every(({ text }) => (text?.length ?? 0) < 100_000))).toBe(true);
});
