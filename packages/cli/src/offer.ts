import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ANY_EVENT, isGate, printable, rowOf, specOf } from "@hooks/core";
import { type InstalledPackage, Packages } from "@hooks/manifest";
import { CliError, EXIT } from "./exit.js";
import { type PackHook, packLines, readPackHooks } from "./pack-offer.js";
import { readPackage } from "./package-manager.js";
import type { Paint } from "./terminal.js";

/** What an installed package offers, read without running any of it. */
export interface Offer {
  readonly name: string;
  readonly version: string;
  /** Hooks to bind one by one, or a policy to extend. */
  readonly kind: "hooks" | "pack";
  /** What can be bound; a pack binds its own. */
  readonly hooks: readonly OfferedHook[];
  /** What a pack brings. */
  readonly policy: readonly PackHook[];
}

export interface OfferedHook {
  readonly export: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly observes: boolean;
  /** Where its author would put it. */
  readonly priority: number | null;
  readonly capabilities: readonly string[];
  readonly options: readonly OfferedOption[];
}

export interface OfferedOption {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description?: string;
}

/** Reads what a package offers to the manifest of a directory. */
export async function readOffer(name: string, directory: string): Promise<Offer> {
  const found = await new Packages(directory).find(name);
  if (found === undefined)
    throw new CliError("HARN_E_NOT_A_HOOK", EXIT.data, `${name} is not installed`, "check its name, and install it");
  if ("broken" in found)
    throw new CliError("HARN_E_NOT_A_HOOK", EXIT.data, `${name} cannot be used: ${found.broken}`, "ask its authors");
  const { description, root, version = "0.0.0" } = found;
  const hasPolicy = existsSync(join(root, "harn.toml"));
  if (description !== undefined && !(hasPolicy && isPack(root))) {
    return {
      name,
      version,
      kind: "hooks",
      hooks: Object.keys(description.hooks).map((key) => offeredHook(found, key)),
      policy: [],
    };
  }
  if (hasPolicy) return { name, version, kind: "pack", hooks: [], policy: await readPackHooks(name, root) };
  throw new CliError(
    "HARN_E_NOT_A_HOOK",
    EXIT.data,
    `${name} ${version} has neither a "harn" field in its package.json nor a harn.toml`,
    "it is no package of hooks; to call it from one of your own, bind a module of yours",
  );
}

/** Whether a package that has hooks of its own means to be extended, and not to have them bound one by one. */
function isPack(root: string): boolean {
  const { keywords } = readPackage(root) ?? {};
  return Array.isArray(keywords) && keywords.includes("harn-pack");
}

function offeredHook({ description, root }: InstalledPackage, key: string): OfferedHook {
  const hook = description?.hooks[key];
  return {
    export: key,
    description: hook?.description ?? null,
    events: hook?.events ?? [],
    observes: hook?.observes ?? false,
    priority: hook?.priority ?? null,
    capabilities: hook?.capabilities ?? [],
    options: hook?.options === undefined ? [] : readOptions(resolve(root, hook.options)),
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Record<string, unknown>>>;
  readonly required?: readonly string[];
}

function readOptions(file: string): OfferedOption[] {
  let schema: ObjectSchema;
  try {
    schema = JSON.parse(readFileSync(file, "utf8")) as ObjectSchema;
  } catch {
    // Whether the schema can be used is for `validate` to say, with its place.
    return [];
  }
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    type: typeOf(property),
    required: schema.required?.includes(name) ?? false,
    ...("default" in property ? { default: property.default } : {}),
    ...(typeof property.description === "string" ? { description: property.description } : {}),
  }));
}

function typeOf({ type, enum: choices }: Record<string, unknown>): string {
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  return Array.isArray(type) ? type.join(" | ") : String(type ?? "any");
}

/** An offer for a person to read before anything of it runs. */
export function offerLines({ name, version, kind, hooks, policy }: Offer, paint: Paint): string[] {
  const head = `${paint("bold", name)} ${version}`;
  if (kind === "pack")
    return [`${head}  a policy pack: its hooks join yours, and cannot be weakened from here`, ...packLines(policy)];
  return [
    head,
    ...hooks.flatMap((hook) => [
      `  ${paint("cyan", hook.export)}  ${printable(hook.description ?? "")}`.trimEnd(),
      `    events        ${hook.events.map((event) => (event === ANY_EVENT ? "every event" : event)).join(", ")}${hook.observes ? " (told how each ended; cannot veto)" : ""}`,
      `    capabilities  ${hook.capabilities.length === 0 ? "none: it only computes" : hook.capabilities.join(", ")}`,
      ...hook.options.map(
        (option, index) => `    ${index === 0 ? "options       " : "              "}${printable(optionText(option))}`,
      ),
    ]),
  ];
}

function optionText({ name, type, required, description, ...rest }: OfferedOption): string {
  const value = "default" in rest ? `, ${JSON.stringify(rest.default)} when absent` : required ? ", required" : "";
  return `${name} (${type}${value})${description === undefined ? "" : `: ${description}`}`;
}

/** The `[[hooks]]` entries that bind an offer, one for each event it serves. */
export function entriesOf({ name, hooks }: Offer): { event: string; handler: string; priority: number }[] {
  return hooks.flatMap((hook) =>
    hook.events
      // Events of one's own have no end of names: whoever fires them binds them.
      .filter((event) => rowOf(event) !== undefined || event === ANY_EVENT)
      .map((event) => ({
        event,
        handler: `${name}::${hook.export}`,
        priority: hook.priority ?? priorityOf(event, hook.observes),
      })),
  );
}

/** The bands of priorities: watching first, then what can refuse, then what shapes results. */
function priorityOf(event: string, observes: boolean): number {
  if (observes) return 1;
  const isBefore = isGate(specOf(event)) && !/^(Post|TurnEnd|Stop|SubagentStop|SubagentVerify)/.test(event);
  return isBefore ? 10 : 40;
}
