import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadHarness } from "@hooks/manifest";
import { afterAll, describe, expect, test } from "vitest";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-prefer-")));
afterAll(() => rmSync(scratch, { recursive: true }));
let projects = 0;

async function load(options = "", isolation = "inline") {
  const cwd = join(scratch, `project-${projects++}`);
  mkdirSync(join(cwd, "node_modules/@hooks"), { recursive: true });
  symlinkSync(plugin, join(cwd, "node_modules/@hooks/prefer-named-tools"));
  writeFileSync(
    join(cwd, "harn.toml"),
    `[[hooks]]\nevent = "PreToolUse"\nhandler = "@hooks/prefer-named-tools::prefer"\nisolation = "${isolation}"\noptions = { ${options} }\n`,
  );
  const loaded = await loadHarness({ cwd });
  if (!loaded.ok) throw new Error(loaded.message);
  return async (command: string, name = "Bash", agent?: string) => {
    const session = agent === undefined ? { id: "s" } : { id: "s", agent };
    const outcome = await loaded.harness.fire("PreToolUse", { tool: { name, args: { command } }, session });
    expect(outcome.faults).toEqual([]);
    return outcome;
  };
}

const run = await load();

test.each([
  ["cat src/a.ts", "Read"],
  ["cat a b", "Read"],
  ["head -n 20 a.ts", "Read"],
  ["head -20 a.ts", "Read"],
  ["tail -5 log", "Read"],
  ["sed -n '1,20p' a.ts", "Read"],
  ["cd src && cat a.ts", "Read"],
  ["cat a.ts | head -5", "Read"],
  ["c''at a.ts", "Read"],
  ["grep -rn foo src", "Grep"],
  ["rg foo | head", "Grep"],
  ["cat a | grep x", "Read"],
  ["find . -name '*.ts'", "Glob"],
  ["find . -name x | sort", "Glob"],
  ["sed -i s/a/b/ f", "Edit"],
  ["perl -pi -e s/a/b/ f", "Edit"],
  ["echo x > f", "Write"],
  ["printf x >> f", "Write"],
  ["cat > f <<'EOF'\nx\nEOF", "Write"],
])("%s is what %s is for", async (command, named) => {
  const { verdict, reason } = await run(command);
  expect(verdict).toBe("block");
  expect(reason).toContain(`use ${named} instead`);
});

test.each([
  "npm test",
  "cat a.ts && npm test",
  "npm test | grep fail",
  "git log | head",
  "tail -f log",
  "cat a | ssh host cat",
  "cat a | node x.js",
  "find . -name x -exec rm {} +",
  "find . -delete",
  "echo hello",
  "ls",
  "sudo cat /etc/x",
  "cat < a > b",
  "sed s/a/b/ f",
  "grep x $(cat list)",
  "ssh host cat x",
  "echo x > /dev/null",
  "curl https://example.com",
])("%s is left alone", async (command) => {
  expect((await run(command)).reason).toBeUndefined();
});

describe("each agent has its own tools", () => {
  test.each([
    ["run_shell_command", undefined, "read_file"],
    ["bash", "opencode", "read"],
    ["bash", "copilot", "view"],
    ["Bash", "claude-code", "Read"],
  ])("%s of %s: %s", async (name, agent, named) => {
    expect((await run("cat a", name, agent)).reason).toContain(`use ${named} instead`);
  });

  test("one that has none is left alone: codex reads by shell, and edits by patch", async () => {
    expect((await run("cat a", "Bash", "codex")).verdict).toBe("allow");
    expect((await run("sed -i s/a/b/ f", "Bash", "codex")).reason).toContain("apply_patch");
    expect((await run("cat a", "some_shell")).verdict).toBe("allow");
  });
});

describe("options", () => {
  test("raw tools are refused, whatever they run", async () => {
    expect(await run("ls", "exec")).toMatchObject({
      verdict: "block",
      reason: "exec runs anything: use run_command or another named tool instead",
    });
    const own = await load('raw = ["terminal"], use = "make"');
    expect((await own("ls", "terminal")).reason).toContain("use make instead");
    expect((await own("ls", "exec")).verdict).toBe("allow");
  });

  test("tools, exceptions and verdicts of one's own", async () => {
    const own = await load('tools = { read = "open_file" }, verdict = "ask"');
    expect(await own("cat x")).toMatchObject({ verdict: "ask", reason: expect.stringContaining("open_file") });
    expect((await own("grep x y")).verdict).toBe("allow");
    expect((await (await load('allow = ["grep"]'))("grep x y")).verdict).toBe("allow");
    const reminded = await (await load('verdict = "remind"', "worker"))("cat x");
    expect(reminded).toMatchObject({
      verdict: "allow",
      reminders: [{ body: expect.stringContaining("use Read instead") }],
    });
    expect(reminded.trace).toMatchObject([{ priority: 20 }]);
  });
});
