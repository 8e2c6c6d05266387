import { relative, resolve, sep } from "node:path";
import type { HookInit } from "@hooks/core";
import { PROJECT_RANK } from "../layer.js";
import type { FileStack, Placed } from "../markdown/load.js";
import { isThere, isWithin, type Named } from "../markdown/sources.js";
import type { Problem } from "../problem.js";
import { commandHandler } from "../process/command.js";
import { readText } from "../text-file.js";
import { type Home, readHooks } from "./file.js";
import type { SettingsHook } from "./hook.js";
import { parseJson } from "./json.js";

export interface SettingsOptions extends Home {
  /** The files `[sources] settings` names. */
  readonly named: readonly Named[];
  /** The name of a path in messages. */
  readonly show: (path: string) => string;
}

/** Loads the executable hooks of settings files. Runs nothing. */
export async function loadSettings(options: SettingsOptions): Promise<FileStack> {
  const { root, named, show } = options;
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const placed = new Map<string, Placed>();
  for (const { directory: name, refuse } of named) {
    const path = resolve(root, name);
    const place = relative(root, path).split(sep).join("/");
    if (placed.has(place)) continue;
    if (!(await isThere(path))) {
      refuse(`${name} does not exist`, "name a settings.json");
      continue;
    }
    if (!(await isWithin(path, root))) {
      refuse(`${name} lies outside of the project`, "keep hooks inside of the project");
      continue;
    }
    const file = show(path);
    const read = await readText(path, file, "HARN_E_SOURCE_READ");
    if ("problem" in read) {
      problems.push(read.problem);
      continue;
    }
    texts.set(file, read.text);
    const found = hooksIn(read.text, file, options);
    problems.push(...found.problems);
    placed.set(place, { place, hooks: found.hooks.map(toInit) });
  }
  return { placed: [...placed.values()], problems, texts };
}

function hooksIn(text: string, file: string, home: Home): ReturnType<typeof readHooks> {
  const document = parseJson(text);
  if (!("mistake" in document)) return readHooks(document, file, home);
  const { message, spot } = document.mistake;
  const problem: Problem = {
    code: "HARN_E_JSON",
    severity: "error",
    message,
    place: { file, ...spot },
    help: "correct the JSON here: keys and texts in double quotes, no comments, no comma before a bracket",
  };
  return { hooks: [], problems: [problem] };
}

function toInit({ name, handlerName, event, dialect, matches, command, on_error, place }: SettingsHook): HookInit {
  return {
    id: name,
    event,
    handler: commandHandler(command) as HookInit["handler"],
    handlerName,
    dialect,
    source: { layer: "project", file: place.file, line: place.line },
    rank: PROJECT_RANK,
    ...(matches === undefined ? {} : { matches }),
    ...(command.timeout_ms === undefined ? {} : { timeout_ms: command.timeout_ms }),
    ...(on_error === undefined ? {} : { on_error }),
  };
}
