import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

// The parser is the shell package's own dependency, not the workspace's.
const fromShell = createRequire(new URL("../../packages/shell/package.json", import.meta.url));
const { parse } = (await import(pathToFileURL(fromShell.resolve("unbash")).href)) as {
  parse: (text: string) => unknown;
};

/** What the guard cannot do without. */
export function parseOnly(text: string): unknown {
  return parse(text);
}

/** Commands as agents run them. */
export const guardCommands: Readonly<Record<string, string>> = {
  "a short command": "git status --short",
  "a usual command": "cd packages/core && npm run build 2>&1 | tail -20 && git diff --stat",
  "a deletion": 'D=dist; rm -rf "$D" ./coverage && mkdir -p "$D"',
  "a long command":
    "set -e; for f in src/*.ts; do if grep -q TODO \"$f\"; then echo \"$f\"; fi; done | sort | uniq -c | head -20; find . -name '*.log' -mtime +7 -print | xargs ls -l; curl -s https://example.com/a.json | jq -r '.items[].name' > /tmp/names.txt",
  "a nested shell": "sudo bash -c 'cd /srv && docker compose exec web sh -c \"ls -la && env\"'",
};

const SIZE = 100_000;
const repeat = (text: string) => text.repeat(Math.floor(SIZE / text.length));

/** 100 kB each, of what costs a parser or an analysis most. */
export const guardShapes: Readonly<Record<string, string>> = {
  words: repeat("a "),
  "commands in a list": repeat("a;"),
  "a pipeline": `${repeat("a|")}a`,
  "changes of directory, &&": `${repeat("cd a&&")}ls`,
  "changes of directory, ||": `${repeat("cd a||")}ls`,
  substitutions: repeat("$(a) "),
  "nested substitutions": repeat("$( "),
  "a here-document": `cat <<E\n${repeat("$(a) x\n")}E\n`,
  "nested here-documents": `${Array.from({ length: 30 }, (_, i) => `bash <<'D${i}'\n`).join("")}${repeat("echo a\n")}`,
  "values that double": repeat("X=$X$X;"),
  braces: `echo ${repeat("{a,b}")}`,
  paths: `ls ${repeat("/a ")}`,
  "a decoded script": `echo ${Buffer.from("ls /tmp/x ;".repeat(6_500)).toString("base64")} | base64 -d | sh`,
  "find with many actions": `find . ${repeat("-exec ls {} ; ")}`,
  "python in one line": `python3 -c '${repeat('os.system("a");')}'`,
};

/** Processor time in milliseconds of a new process's first large decision, after one small one. */
export function coldGuard(shape: string): number {
  const script = fileURLToPath(new URL("guard-cold.ts", import.meta.url));
  const jiti = createRequire(import.meta.url)
    .resolve("jiti/package.json")
    .replace(/package\.json$/, "lib/jiti-cli.mjs");
  const { stdout } = spawnSync(process.execPath, [jiti, script, shape], { encoding: "utf8" });
  return Number(stdout);
}
