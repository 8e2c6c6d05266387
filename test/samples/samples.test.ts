import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type Problem, problemCodes, renderProblem } from "@hooks/manifest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogueNames, isGate, specOf } from "../../packages/core/src/events.js";
import { eventOf, sampleOf } from "../conformance/samples.js";
import { root } from "../house/repository.js";
import { openScratch, readCase } from "./project.js";

interface Answer {
  readonly crash?: string;
  readonly ok: boolean;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly manifest: string | null;
  readonly hooks: readonly object[];
  readonly outcomes: readonly object[];
  readonly gates: readonly object[];
  /** Keys it left on what every object inherits. */
  readonly leftBehind: readonly string[];
}

declare global {
  interface ImportMeta {
    /** Vite's list of files, here only for their names. */
    glob(pattern: string, options: { readonly exhaustive: true }): Readonly<Record<string, unknown>>;
  }
}

const here = fileURLToPath(new URL(".", import.meta.url));
const files = Object.keys(import.meta.glob("./*/**/*", { exhaustive: true })).map((file) => file.slice(2));
const names = [...new Set(files.map((file) => file.slice(0, file.indexOf("/"))))].sort();
const mistakes = names.filter((name) => files.includes(`${name}/errors.txt`));
const working = names.filter((name) => !mistakes.includes(name));

const gates = catalogueNames.map(eventOf).filter((event) => isGate(specOf(event)));
const isAdmin = process.getuid?.() === 0;
const scratch = openScratch();
const reported: string[] = [];
const withoutRemedy: string[] = [];
let worker: Worker;

beforeAll(() => {
  // The samples run what is published. When nothing has changed since the last build, this only looks.
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b", "packages/manifest"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  // What is transpiled is kept in the temporary directory, where it would pile up with every run.
  const env = { ...process.env, TMPDIR: scratch.directory };
  worker = new Worker(new URL("./worker.mjs", import.meta.url), { env });
});

afterAll(async () => {
  await worker.terminate();
  scratch.remove();
});

async function load(name: string, project: string): Promise<Answer> {
  const { cwd = ".", manifest, managed = [], trusted = true, steps = [] } = readCase(name);
  const filled = steps.map((step) => ({ payload: sampleOf(step.event), ...step }));
  const asked = gates.map((event) => [event, sampleOf(event)]);
  worker.postMessage({ cwd: join(project, cwd), manifest, managed, trusted, steps: filled, gates: asked });
  const [answer] = (await once(worker, "message")) as [Answer];
  if (answer.crash !== undefined) throw new Error(answer.crash);
  expect(answer.leftBehind).toEqual([]);
  return answer;
}

/** The file a problem is in; a directory, or what is not there, has no text. */
function textOf(project: string, { place }: Problem): string {
  try {
    return readFileSync(resolve(project, place.file), "utf8");
  } catch {
    return "";
  }
}

function note(name: string, problems: readonly Problem[]): void {
  reported.push(...problems.map(({ code }) => code));
  withoutRemedy.push(
    ...problems.filter(({ help }) => help === undefined).map(({ code, message }) => `${name}: ${code} ${message}`),
  );
}

describe("loads and answers", () => {
  test.each(working)("%s", async (name) => {
    const { loads, hooks, steps = [] } = readCase(name);
    const project = scratch.copy(name);
    const { ok, message, problems, manifest, outcomes, ...answer } = await load(name, project);
    note(name, problems);
    expect(ok, message).toBe(true);
    expect(steps.length > 0 || hooks !== undefined, "nothing to check").toBe(true);
    if (loads !== undefined) expect(manifest && relative(project, manifest)).toBe(loads);
    if (hooks !== undefined) expect(answer.hooks).toMatchObject(hooks);
    for (const [place, { expect: expected = {}, throws }] of steps.entries()) {
      expect(outcomes[place], `step ${place + 1}`).toMatchObject(throws === undefined ? expected : { thrown: throws });
    }
    if (problems.length === 0 && !files.includes(`${name}/warnings.txt`)) return;
    const rendered = problems.map((problem) => renderProblem(problem, textOf(project, problem))).join("\n\n");
    await expect(`${rendered.replaceAll(project, "<dir>")}\n`).toMatchFileSnapshot(join(here, name, "warnings.txt"));
  });
});

describe("says what is wrong, and blocks", () => {
  for (const name of mistakes) {
    // Nothing is unreadable to the administrator.
    test.skipIf(isAdmin && readCase(name).unreadable !== undefined)(name, async () => {
      const project = scratch.copy(name);
      const { ok, message, problems, ...answer } = await load(name, project);
      note(name, problems);
      expect(ok, "it loaded").toBe(false);
      await expect(`${message.replaceAll(project, "<dir>")}\n`).toMatchFileSnapshot(join(here, name, "errors.txt"));
      const first = problems.find(({ severity }) => severity === "error");
      const { file, line, column } = first?.place ?? {};
      const remedy = first?.code === "HARN_E_UNTRUSTED" ? `: ${first.help}` : "";
      const reason = `the policy did not load: ${first?.message} (${file}:${line}:${column})${remedy}`;
      expect(answer.gates).toMatchObject(gates.map((event) => ({ event, verdict: "block", reason })));
    });
  }
});

describe("the samples together", () => {
  test("show every problem a load can end with", () => {
    expect(Object.keys(problemCodes).filter((code) => !reported.includes(code))).toEqual([]);
  });

  test("find a remedy in every message", () => {
    expect(withoutRemedy).toEqual([]);
  });
});
