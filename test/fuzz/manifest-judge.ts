import { type Loaded, type Problem, problemCodes, renderProblem } from "@hooks/manifest";
import { parseTree } from "../../packages/manifest/src/toml.js";
import { takeBack } from "./pollution.js";

const LIMIT = 1024 * 1024;
const bash = { tool: { name: "Bash", args: { command: "ls" } } };

/** Loads a manifest and says what is wrong with how that ends: nothing, for a stack and for problems with a place. */
export async function judge(
  bytes: Buffer,
  load: () => Promise<Loaded>,
): Promise<{ readonly loaded?: Loaded; readonly faults: string[] }> {
  try {
    const loaded = await load();
    const faults = await (loaded.ok ? judgeStack(bytes, loaded) : judgeRefusal(bytes, loaded));
    return { loaded, faults: [...faults, ...pollution()] };
  } catch (error) {
    return { faults: [`threw ${describeThrown(error)}`, ...pollution()] };
  }
}

function pollution(): string[] {
  return takeBack().map((name) => `left a key behind on ${name}`);
}

async function judgeStack(bytes: Buffer, { harness, warnings }: Loaded & { ok: true }): Promise<string[]> {
  const { length } = harness.hooks;
  harness.close();
  let expected: number;
  try {
    expected = await countHooks(textOf(bytes));
  } catch (error) {
    return [`loaded what is not TOML: ${describeThrown(error)}`];
  }
  return [
    ...(length === expected ? [] : [`loaded ${length < expected ? "fewer" : "more"} hooks than the manifest has`]),
    ...warnings.flatMap((warning) => judgeProblem(warning, bytes)),
    ...(warnings.every(({ severity }) => severity === "warning") ? [] : ["loaded with an error among its warnings"]),
  ];
}

async function judgeRefusal(bytes: Buffer, { harness, problems, message }: Loaded & { ok: false }): Promise<string[]> {
  const outcome = await harness.fire("PreToolUse", bash);
  const isExplained = outcome.reason !== undefined && outcome.reason.length > 0;
  return [
    ...(outcome.verdict === "block" && isExplained ? [] : [`a broken manifest did not block, but ${outcome.verdict}`]),
    ...(problems.some(({ severity }) => severity === "error") ? [] : ["refused without an error"]),
    ...(message.trim() === "" ? ["refused without a message"] : []),
    // A manifest can have thousands of problems; the ends of the list are where something may go wrong.
    ...[...problems.slice(0, 20), ...problems.slice(20).slice(-20)].flatMap((problem) => judgeProblem(problem, bytes)),
  ];
}

function judgeProblem(problem: Problem, bytes: Buffer): string[] {
  const { code, message, place } = problem;
  const text = textOf(bytes);
  const line = bytes.length > LIMIT ? "" : text.split("\n")[place.line - 1];
  const isInside =
    line !== undefined && place.column >= 1 && place.column <= line.length + 1 && Number.isInteger(place.column);
  const rendered = renderProblem(problem, text);
  return [
    ...(Object.hasOwn(problemCodes, code) ? [] : [`a code of its own: ${code}`]),
    ...(message.trim() === "" ? [`${code} without a message`] : []),
    ...(/undefined|\[object/.test(message) && !/undefined/.test(text) && code !== "HARN_E_STARLARK"
      ? [`${code} says "${message}"`]
      : []),
    ...(isInside ? [] : [`${code} is outside of the file`]),
    ...(isInside && place.column - 1 + place.length > Math.max(line.length, place.column)
      ? [`${code} is too long`]
      : []),
    ...(rendered.includes(`${place.file}:${place.line}:${place.column}`)
      ? []
      : [`${code} is printed without its place`]),
  ];
}

/** The text as an editor shows it, also where it is not UTF-8. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
}

/** How many hooks a parser counts that keeps to the specification. */
async function countHooks(text: string): Promise<number> {
  let count = 0;
  for (const node of (await parseTree(text)).body[0].body) {
    if (node.type === "TOMLTable") {
      const [first, , ...rest] = node.resolvedKey;
      if (first === "hooks" && rest.length === 0) count++;
    } else if (node.value.type === "TOMLArray") count += node.value.elements.length * Number(isHooks(node.key.keys));
  }
  return count;
}

function isHooks(keys: readonly { readonly type: string; readonly name?: string; readonly value?: string }[]): boolean {
  return keys.length === 1 && (keys[0]?.name ?? keys[0]?.value) === "hooks";
}

/** What was thrown and where, without what differs from mutant to mutant: the same mistake is one failure. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const frames = thrown.stack?.split("\n").slice(1) ?? [];
  const frame = frames.find((line) => /packages[\\/](manifest|core)/.test(line)) ?? frames[0] ?? "";
  const where = frame.trim().replace(/\(?(file:\/\/)?\S*?(packages[\\/]\S+?)\)?$/, "$2");
  const message = thrown.message.replace(/(["'`]).*\1|(?<=function )\w+/s, "...").slice(0, 120);
  return `${thrown.name}: ${message} (${where})`;
}
