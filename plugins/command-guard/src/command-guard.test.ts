import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHarness, type Json } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { afterAll, describe, expect, test } from "vitest";
import { explain, explanationText, type GuardOptions, guard } from "./index.js";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-command-guard-")));
afterAll(() => rmSync(scratch, { recursive: true }));
let projects = 0;

/** A project with this manifest and the plugin in it, through the real loader. */
function load(manifest: string) {
  const cwd = join(scratch, `project-${projects++}`);
  mkdirSync(join(cwd, "node_modules/@hooks"), { recursive: true });
  symlinkSync(plugin, join(cwd, "node_modules/@hooks/command-guard"));
  writeFileSync(join(cwd, "harn.toml"), manifest);
  return loadHarness({ cwd });
}

function hook(lines: string): string {
  return `[[hooks]]\nevent = "PreToolUse"\nhandler = "@hooks/command-guard::guard"\n${lines}\n`;
}

async function judge(options: GuardOptions, tool: string, args: Record<string, Json>) {
  const harness = createHarness();
  harness.register({ event: "PreToolUse", handler: guard, options });
  const outcome = await harness.fire("PreToolUse", { tool: { name: tool, args } });
  expect(outcome.faults).toEqual([]);
  return outcome;
}

const bash = async (options: GuardOptions, command: string) => (await judge(options, "Bash", { command })).verdict;

describe("through harn.toml and the real loader", async () => {
  const loaded = await load(
    [
      hook('pattern = "Bash"\npriority = 10'),
      hook('pattern = "shell"\nisolation = "worker"\noptions = { groups = { cloud = "ask" }, deny = ["shutdown"] }'),
    ].join("\n"),
  );
  if (!loaded.ok) throw new Error(loaded.message);
  const { harness } = loaded;
  afterAll(() => harness.close());

  test.each([
    ["Bash", "cd src && git reset --hard", "block"],
    ["Bash", "npm test && git status", "allow"],
    ["Bash", "aws s3 rb s3://b", "allow"],
    ["shell", "git reset --hard", "block"],
    ["shell", "npm test && git status", "allow"],
    ["shell", "aws s3 rb s3://b", "ask"],
    ["shell", "shutdown -c", "block"],
  ])("%s %s: %s", async (name, command, verdict) => {
    const outcome = await harness.fire("PreToolUse", { tool: { name, args: { command } } });
    expect(outcome.faults).toEqual([]);
    expect(outcome.verdict).toBe(verdict);
  });

  test("the agent hears what to do instead", async () => {
    const outcome = await harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: "git reset --hard" } } });
    expect(outcome.reason).toMatch(
      /^\[git-reset-hard\] `git reset --hard`: .*Instead: .*`git stash push -u -m before-reset`/,
    );
  });

  test.each([
    'rules = { no-such-rule = "off" }',
    'rules = { delete-root = "off" }',
    'groups = { nope = "on" }',
    'deny = [""]',
    'allow = ["git push -f"]',
    'allow = [{ command = "x", reason = "y" }]',
    'own_rules = [{ id = "git-clean", command = "x", explanation = "y", instead = "z" }]',
    "stric = true",
  ])("%s does not load", async (options) => {
    const refused = await load(hook(`options = { ${options} }`));
    expect(refused.ok).toBe(false);
    if (!refused.ok) expect(refused.message).toContain("HARN_E_OPTIONS");
  });
});

describe("tools", () => {
  test.each<[string, Record<string, Json>]>([
    ["Bash", { command: "rm -rf ~" }],
    ["bash", { command: "rm -rf ~" }],
    ["Shell", { command: "rm -rf ~" }],
    ["run_command", { command: "rm -rf ~" }],
    ["run_shell_command", { command: "rm -rf ~", description: "tidy" }],
    ["run_terminal_cmd", { command: "rm -rf ~" }],
    ["shell", { command: ["bash", "-lc", "rm -rf ~"] }],
    ["shell", { command: ["rm", "-rf", "/"] }],
    ["exec_command", { cmd: "rm -rf ~" }],
    ["local_shell", { action: { type: "exec", command: ["bash", "-c", "rm -rf ~"] } }],
    ["execute_command", { command: "rm -rf ~" }],
    ["mcp__box__run_command", { command: "rm -rf ~" }],
    ["my_shell_tool", { command: "rm -rf ~" }],
    ["write_stdin", { session_id: 1, chars: "rm -rf ~\n" }],
    ["powershell", { command: "Remove-Item -Recurse -Force $HOME" }],
    ["powershell", { command: "rm -r -fo C:\\" }],
    ["pwsh", { command: "git reset --hard" }],
    ["cmd", { command: "rd /s /q C:\\Users\\me" }],
    ["run_command", { commands: ["git status", "rm -rf ~"] }],
  ])("%s %j is judged", async (tool, args) => {
    expect((await judge({}, tool, args)).verdict).toBe("block");
  });

  test.each<[string, Record<string, Json>]>([
    ["Write", { file_path: "a.sh", content: "rm -rf ~" }],
    ["apply_patch", { command: "*** Begin Patch\n+rm -rf ~" }],
    ["str_replace_based_edit_tool", { command: "view", path: "/etc" }],
    ["Task", { prompt: "rm -rf ~" }],
    ["Bash", { restart: true }],
    ["Bash", { command: "" }],
  ])("%s %j is not", async (tool, args) => {
    expect((await judge({}, tool, args)).verdict).toBe("allow");
  });

  test("a shell tool whose command cannot be found is asked about, and blocked in strict", async () => {
    expect((await judge({}, "Bash", { line_to_run: "rm -rf ~" })).verdict).toBe("ask");
    expect((await judge({ strict: true }, "Bash", { line_to_run: "rm -rf ~" })).verdict).toBe("block");
    expect(
      (
        await judge({ tools: { Bash: { dialect: "posix", argument: "line_to_run" } } }, "Bash", {
          line_to_run: "rm -rf ~",
        })
      ).verdict,
    ).toBe("block");
  });

  test("other tools are named in the options", async () => {
    const options: GuardOptions = { tools: { go: { dialect: "posix", argument: "what" }, Bash: false } };
    expect((await judge(options, "go", { what: "rm -rf ~" })).verdict).toBe("block");
    expect((await judge(options, "Bash", { command: "rm -rf ~" })).verdict).toBe("allow");
  });
});

describe("options", () => {
  test("a group can be off, on or have a mode", async () => {
    expect(await bash({}, "kubectl delete ns prod")).toBe("allow");
    expect(await bash({ groups: { containers: "on" } }, "kubectl delete ns prod")).toBe("block");
    expect(await bash({ groups: { containers: "ask" } }, "kubectl delete ns prod")).toBe("ask");
    expect(await bash({ groups: { git: "off" } }, "git reset --hard")).toBe("allow");
  });

  test("a rule has a mode of its own, which wins over its group", async () => {
    expect(await bash({ rules: { "git-reset-hard": "ask" } }, "git reset --hard")).toBe("ask");
    expect(await bash({ rules: { "git-reset-hard": "block" }, groups: { git: "off" } }, "git reset --hard")).toBe(
      "block",
    );
  });

  test("warn lets it pass and tells the model", async () => {
    const outcome = await judge({ rules: { "git-clean": "warn" } }, "Bash", { command: "git clean -fd" });
    expect(outcome.verdict).toBe("allow");
    expect(outcome.reminders[0]?.body).toMatch(/^\[git-clean\]/);
  });

  test("the catastrophic tier cannot be switched off or allowed", async () => {
    const off: GuardOptions = { groups: { deletion: "off", disks: "warn" } };
    expect(await bash(off, "rm -rf /")).toBe("block");
    expect(await bash(off, "rm -rf /data/x")).toBe("allow");
    const places: GuardOptions = {
      groups: { deletion: "off" },
      temp_dirs: ["/", "/etc", "/home/me"],
      home: "/home/me",
    };
    for (const command of ["rm -rf /", "rm -rf /etc", "rm -rf /home/me"])
      expect(explain(command, { ...places, cwd: "/home/me", workspace_dirs: ["/etc"] }).verdict).toBe("block");
    const allow: GuardOptions = { allow: [{ command: "rm -rf ~", reason: "no", expires: "2999-01-01" }] };
    expect(await bash(allow, "rm -rf ~")).toBe("block");
  });

  test("the deny list blocks by words in order", async () => {
    const options: GuardOptions = { deny: ["shutdown", "npm publish", "docker * --privileged"] };
    expect(await bash(options, "sudo shutdown -c")).toBe("block");
    expect(await bash(options, "cd x && npm --tag next publish")).toBe("block");
    expect(await bash(options, "npm run publish-docs")).toBe("allow");
    expect(await bash(options, "docker run --privileged x")).toBe("block");
    expect(await bash(options, "echo npm publish")).toBe("allow");
  });

  test("an entry of the allow list is exact, has a reason and ends", async () => {
    const entry = (command: string, expires: string): GuardOptions => ({
      allow: [{ command, reason: "ours", expires }],
    });
    const options = entry("git push --force origin wip/*", "2999-01-01");
    expect(await bash(options, "git push --force origin wip/a")).toBe("allow");
    expect(await bash(options, "git push --force origin main")).toBe("block");
    expect(await bash(options, "git push --force origin wip/a main")).toBe("block");
    expect(await bash(options, "git push --force origin wip/a && git reset --hard")).toBe("block");
    expect(await bash(entry("rm -rf /data/cache/*", "2999-01-01"), "rm -rf /data/cache/../x")).toBe("block");
    expect(await bash(entry("git clean **", "2999-01-01"), "git clean -fdx")).toBe("allow");
    const outcome = await judge(entry("git clean **", "2020-01-01"), "Bash", { command: "git clean -fdx" });
    expect(outcome.verdict).toBe("block");
    expect(outcome.reason).toContain("has expired");
  });

  test("an organisation brings rules of its own", async () => {
    const options: GuardOptions = {
      own_rules: [
        {
          id: "prod-only-by-hand",
          command: "deploy --env prod|production",
          unless: ["--plan"],
          explanation: "Production is deployed by people.",
          instead: "Deploy to staging.",
          mode: "ask",
        },
      ],
    };
    expect(await bash(options, "deploy --env staging")).toBe("allow");
    expect(await bash(options, "deploy --env prod --plan")).toBe("allow");
    const outcome = await judge(options, "Bash", { command: "sudo deploy --env prod" });
    expect(outcome.verdict).toBe("ask");
    expect(outcome.reason).toContain("Deploy to staging.");
  });

  test("what cannot be followed is asked about, and blocked in strict", async () => {
    for (const command of ["$TOOL --now", "if true; then", "cat blob | base64 -d | sh", `a ${"$(".repeat(200)}`]) {
      expect(await bash({}, command)).toBe("ask");
      expect(await bash({ strict: true }, command)).toBe("block");
      expect(await bash({ indeterminate: "block" }, command)).toBe("block");
    }
  });

  test("directories and variables can be told", async () => {
    expect(await bash({}, "rm -rf /scratch/x")).toBe("block");
    expect(await bash({ temp_dirs: ["/scratch"] }, "rm -rf /scratch/x")).toBe("allow");
    expect(await bash({ workspace_dirs: ["/work/app"] }, "rm -rf /work/app/old")).toBe("allow");
    expect(await bash({ workspace_dirs: ["/work/app"] }, "rm -rf /work/app")).toBe("block");
    expect(await bash({ build_dirs: ["artifacts"] }, "rm -rf /data/x/artifacts")).toBe("allow");
    expect(await bash({ variables: { OUT: "/tmp/out" } }, "rm -rf $OUT/*")).toBe("allow");
  });
});

describe("where it runs", () => {
  async function inside(cwd: string, command: string) {
    const harness = createHarness();
    harness.register({ event: "PreToolUse", handler: guard });
    const { verdict } = await harness.fire("PreToolUse", {
      session: { id: "s", cwd },
      tool: { name: "Bash", args: { command } },
    });
    return verdict;
  }

  test.each([
    ["/home/me/app", "rm -rf /home/me/app/dist", "allow"],
    ["/home/me/app", "rm -rf /home/me/app/old", "allow"],
    ["/home/me/app", "rm -rf /home/me/app", "block"],
    ["/home/me/app", "rm -rf ../other", "block"],
    ["/home/me/app", "cd .. && rm -rf app", "block"],
    ["/home/me/app/packages", "rm -rf ..", "block"],
    ["/tmp/app", "rm -rf *", "block"],
    ["/tmp/app", "rm -rf /tmp/other", "allow"],
    ["C:\\Users\\me\\app", "rm -rf dist", "allow"],
  ])("in %s, %s: %s", async (cwd, command, verdict) => {
    expect(await inside(cwd, command)).toBe(verdict);
  });
});

describe("explain", () => {
  test("shows the parse and the rule that decided", () => {
    const explanation = explain("cd /srv && sudo sh -c 'rm -rf ~'");
    expect(explanation).toMatchObject({ verdict: "block", rule: "delete-home" });
    expect(explanation.commands.at(-1)).toEqual({
      line: "rm -rf $HOME",
      cwd: "/srv",
      wrappers: ["sudo"],
      via: ["sh -c"],
      elsewhere: null,
    });
    expect(explanationText("x", explanation)).toContain("rm -rf $HOME   [sh -c > sudo]   in /srv");
  });

  test("shows what a group that is off would have found", () => {
    const explanation = explain("terraform destroy", { with_off: true });
    expect(explanation).toMatchObject({
      verdict: "allow",
      findings: [],
      off: [{ rule: "infrastructure-destroy", group: "infrastructure", line: "terraform destroy" }],
    });
    expect(explanationText("terraform destroy", explanation)).toContain('(the group "infrastructure" is off)');
    expect(explain("terraform destroy", { with_off: true, groups: { infrastructure: "ask" } }).off).toEqual([]);
  });

  test("and has nothing to say about a harmless command", () => {
    expect(explain("ls -la")).toMatchObject({ verdict: "allow", rule: null, reason: "", findings: [] });
  });
});
