import { ask, block, type HookContext, type HookReturn, modify, type Payload } from "@hooks/core";
import { type Located, locate, lookOnce, type PathUse, usesOfCall } from "@hooks/paths";
import { judge, type Ruling } from "./judge.js";
import { settingsOf } from "./settings.js";

type Args = Payload<"PreToolUse">["tool"]["args"];

const RANK = { allow: 0, ask: 1, block: 2 } as const;

/** Keeps every path a tool call reads or writes inside of the roots. */
export function jail({ tool, session }: Payload<"PreToolUse">, context: HookContext): HookReturn<"PreToolUse"> {
  const project = context.project ?? process.cwd();
  const settings = settingsOf(context.options, project);
  const cwd = session.cwd ?? project;
  const { uses, unclear } = usesOfCall(tool, { cwd, home: settings.home, fields: settings.fields });
  let worst: Ruling = { verdict: "allow", reason: "" };
  const consider = (ruling: Ruling) => {
    if (RANK[ruling.verdict] > RANK[worst.verdict]) worst = ruling;
  };
  const canonical: { use: PathUse; path: string }[] = [];
  const around = { home: settings.home, variables: process.env, look: lookOnce() };
  const located = new Map<string, readonly Located[]>();
  const placesOf = ({ path, base }: PathUse): readonly Located[] => {
    const known = located.get(`${base}\0${path}`) ?? locate(path, base, around);
    located.set(`${base}\0${path}`, known);
    return known;
  };
  for (const use of uses) {
    const places = placesOf(use);
    for (const place of places) consider(judge(use, place, settings));
    if (isWorthRewriting(use, places)) canonical.push({ use, path: (places[0] as Located).path });
  }
  for (const { by, detail } of unclear) consider({ verdict: settings.unclear, reason: `${by}: ${detail}` });
  if (worst.verdict === "block") return block(worst.reason);
  if (worst.verdict === "ask") return ask(worst.reason);
  return settings.canonicalise ? handOn(tool.args, canonical) : undefined;
}

function isWorthRewriting({ field, path }: PathUse, [first]: readonly Located[]): boolean {
  return field !== null && first !== undefined && !first.isDevice && first.path !== path && !/^file:/i.test(path);
}

/** What was checked is what is used: a link that is exchanged later is not followed any more. */
function handOn(args: Args, canonical: readonly { use: PathUse; path: string }[]): HookReturn<"PreToolUse"> {
  if (canonical.length === 0) return undefined;
  const copy = structuredClone(args) as Record<string, unknown>;
  for (const { use, path } of canonical) {
    const keys = use.field ?? [];
    let parent: unknown = copy;
    for (const key of keys.slice(0, -1)) parent = (parent as Record<string | number, unknown>)[key];
    (parent as Record<string | number, unknown>)[keys.at(-1) as string | number] = path;
  }
  return modify({ args: copy as Args });
}
