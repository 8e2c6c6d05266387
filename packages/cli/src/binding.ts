import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, nearest } from "@hooks/core";
import { findManifest, parseToml } from "@hooks/manifest";
import { addHook, addItem, dropHooks, dropItemOf, dropKey, editToml, setKey } from "./edit.js";
import { CliError, EXIT } from "./exit.js";
import { type Draft, draft } from "./files.js";
import { entriesOf, type Offer } from "./offer.js";

/** The manifest of a command that edits one. */
export async function requireManifest(named: string | undefined, cwd: string): Promise<string> {
  const path = named === undefined ? await findManifest(cwd) : resolve(cwd, named);
  if (path !== null) return path;
  throw new CliError("HARN_E_FILE_READ", EXIT.data, "there is no harn.toml here or above", "run harn init first");
}

/** A manifest that binds what packages offer, and is otherwise as it was. */
export async function bindOffers(manifest: string, text: string, offers: readonly Offer[]): Promise<Draft> {
  let edited = text;
  for (const offer of offers) {
    const now = await readManifest(edited, manifest);
    const isNew = ({ event, handler }: { event: string; handler: string }) =>
      !now.hooks.some((hook) => hook.event === event && hook.handler === handler);
    // A range that somebody wrote stays; what is installed is held against it when the policy loads.
    const ranges = Object.hasOwn(now.dependencies, offer.name)
      ? []
      : [setKey("dependencies", offer.name, `^${offer.version}`)];
    const isExtended = offer.kind !== "pack" || now.extends.includes(offer.name);
    edited = await editToml(
      edited,
      ...(isExtended ? [] : [addItem("extends", offer.name)]),
      ...ranges,
      ...entriesOf(offer).filter(isNew).map(addHook),
    );
  }
  return draft(manifest, edited);
}

/** A manifest without a package: its hooks, its range, and its place in `extends`. */
export async function unbind(manifest: string, shown: string, name: string): Promise<Draft> {
  const text = await readEditable(manifest);
  const { hooks, dependencies, extends: packs } = await readManifest(text, manifest);
  const modules = hooks.map(({ handler }) => String(handler ?? "").replace(/::[^:]*$/, ""));
  const isTheirs = (module: string) => module === name || module.startsWith(`${name}/`);
  if (!modules.some(isTheirs) && !Object.hasOwn(dependencies, name) && !packs.includes(name)) {
    const near = nearest(name, [...Object.keys(dependencies), ...packs.map(String)]);
    throw new CliError(
      "HARN_E_NOT_DECLARED",
      EXIT.data,
      `${shown} does not name ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
      "harn list shows what is bound",
    );
  }
  const edited = await editToml(
    text,
    dropHooks((handler) => isTheirs(handler.replace(/::[^:]*$/, ""))),
    dropKey("dependencies", name),
    dropItemOf("extends", name),
  );
  return draft(manifest, edited);
}

/** The text of a manifest that can be edited. */
export async function readEditable(manifest: string): Promise<string> {
  const help = "name a manifest that is there";
  let text: string;
  try {
    text = readFileSync(manifest, "utf8");
  } catch (error) {
    throw new CliError("HARN_E_FILE_READ", EXIT.data, `${manifest} cannot be read: ${messageOf(error)}`, help);
  }
  await readManifest(text, manifest);
  return text;
}

interface Declared {
  readonly hooks: readonly { readonly event?: unknown; readonly handler?: unknown }[];
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly extends: readonly unknown[];
}

async function readManifest(text: string, manifest: string): Promise<Declared> {
  try {
    const value = await parseToml(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
    const { hooks = [], dependencies = {}, extends: packs = [] } = value as Partial<Declared>;
    return { hooks, dependencies, extends: packs };
  } catch {
    throw new CliError(
      "HARN_E_FILE_READ",
      EXIT.data,
      `${manifest} is not valid TOML, and is not edited`,
      "harn validate shows where",
    );
  }
}
