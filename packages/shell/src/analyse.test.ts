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

describe("what cannot be followed has a reason", () => {
  test.each([
    ["echo 'a", "unparsable"],
    ["echo $(a |)", "unparsable"],
    ["$CMD x", "unknown-command"],
    ["curl x | sh", "unknown-script"],
    ['eval "$(curl x)"', "unknown-script"],
    [`${"$(".repeat(500)}`, "too-deep"],
    ["a ".repeat(100_000), "too-large"],
    ["for a in {1..100}; do for b in {1..100}; do for c in {1..100}; do x; done; done; done", "too-large"],
  ])("%.40s", (text, code) => {
    expect(reasons(text)).toContain(code);
  });

  test("values that grow by being put into each other end at the budget", () => {
    expect(reasons(`X=ab;${"X=$X$X;".repeat(40)}$X`)).toContain("too-large");
    expect(reasons("X=$X$X;".repeat(10_000))).toContain("too-large");
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
