import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { ask, block, type HookContext, type HookReturn, type Payload } from "@hooks/core";
import { isInside, type Located, locate, lookOnce, type PathUse, shellTextsOf, usesOfCall } from "@hooks/paths";
import { policyCommand } from "./commands.js";
import { packagesIn } from "./packages.js";
import { hookPackageOf, isHookPackage, type Policy, policyOf } from "./policy.js";

interface Options {
  readonly protect?: readonly string[];
  readonly except?: readonly string[];
  readonly verdict?: "block" | "ask";
  readonly unclear?: "ask" | "block" | "allow";
}

const INSTEAD = "a person changes the policy: say what you would change and why";

/** Refuses edits to what decides about the agent: manifest, lock, hooks and their packages, hook settings of agents. */
export function guard({ tool, session }: Payload<"PreToolUse">, context: HookContext): HookReturn<"PreToolUse"> {
  const {
    protect = [],
    except = [],
    verdict = "block",
    unclear: onUnclear = "ask",
  } = (context.options ?? {}) as Options;
  const project = context.project ?? process.cwd();
  const answer = verdict === "ask" ? ask : block;
  const policy = policyOf(project, [...protect, ...except.map((glob) => `!${glob}`)]);
  let doubt: string | undefined;
  for (const text of shellTextsOf(tool)) {
    const changed = policyCommand(text, project);
    if (changed?.isCertain === true) return answer(`${changed.reason}: ${INSTEAD}`);
    doubt ??= changed?.reason;
  }
  const { uses, unclear } = usesOfCall(tool, { cwd: session.cwd ?? project, home: policy.home });
  const around = { home: policy.home, variables: process.env, look: lookOnce() };
  for (const use of uses) {
    if (use.access === "read") continue;
    for (const place of locate(use.path, use.base, around)) {
      const found = editedBy(use, place, policy);
      if (found !== undefined) return answer(`${use.by} would edit ${found}: ${INSTEAD}`);
      const below = use.brings ? policyBelow(place.path, policy) : undefined;
      if (below !== undefined) doubt ??= `${use.by} brings files nobody has looked at to where ${below} is`;
    }
  }
  const write = unclear.find(({ access }) => access === "write");
  doubt ??= write === undefined ? undefined : `${write.by}: ${write.detail}, and it may be the policy`;
  if (doubt === undefined || onUnclear === "allow") return undefined;
  return (onUnclear === "ask" ? ask : block)(doubt);
}

/** The part of the policy that a write hits; undefined when it hits none. */
function editedBy(
  { isTree, by, path: named, base }: PathUse,
  { path, isDevice, exists: isThere }: Located,
  policy: Policy,
): string | undefined {
  if (isDevice) return undefined;
  if (policy.isProtected(path) === true) return path;
  // A package that is linked into node_modules really lies elsewhere, and is a package of hooks all the same.
  const hooks = hookPackageOf(path) ?? hookPackageOf(resolve(base, named));
  if (hooks !== undefined) return `${path} (${hooks} is a package of hooks)`;
  const isRemoval = isTree || /^(?:rm|rmdir|mv|rsync|git clean|find)\b/.test(by);
  if (!isThere) return undefined;
  return (isRemoval ? policyBelow(path, policy) : undefined) ?? twinOf(path, policy);
}

function policyBelow(directory: string, { marks }: Policy): string | undefined {
  const mark = marks.find((path) => path !== directory && isInside(path, directory) && exists(path));
  return mark ?? packagesIn(directory).find(isHookPackage);
}

/** A part of the policy that is this file under another name. */
function twinOf(path: string, { marks }: Policy): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.nlink < 2) return undefined;
  return marks.find((mark) => {
    const other = lstatSync(mark, { throwIfNoEntry: false });
    return other?.ino === found.ino && other.dev === found.dev;
  });
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
