import {
  type Analysis,
  dropStart,
  producersOf,
  render,
  resolvePath,
  type SimpleCommand,
  startOf,
  type Word,
  wordOf,
} from "@hooks/shell";
import type { Place } from "./inside.js";
import { placeOf } from "./place.js";
import type { Settings } from "./settings.js";
import { windowsVariables } from "./windows/words.js";

const CONTAINED: ReadonlySet<Place> = new Set(["root", "unset", "temp", "build"]);

/** What the rules look at besides the one command: where things are, and what else runs. */
export class Scene {
  constructor(
    readonly settings: Settings,
    readonly analysis: Analysis,
    private readonly workspace: string | undefined,
    /** The command as it was written. */
    readonly text: string,
  ) {}

  private around: Settings["surroundings"] | null = null;

  /** Where paths lead, and for which command that was asked: a dozen rules ask the same. */
  private readonly places = new WeakMap<Word, { readonly command: SimpleCommand; readonly place: Place }>();

  place(path: Word, command: SimpleCommand): Place {
    const known = this.places.get(path);
    if (known?.command === command) return known.place;
    const place = this.findPlace(path, command);
    this.places.set(path, { command, place });
    return place;
  }

  private findPlace(path: Word, command: SimpleCommand): Place {
    this.around ??=
      this.workspace === undefined || this.settings.surroundings.workspaces.length > 0
        ? this.settings.surroundings
        : { ...this.settings.surroundings, workspaces: [this.workspace] };
    const own = hostPath(path, command);
    if (own !== null) return placeOf(own, own, this.around);
    const place = placeOf(windowsVariables(path), command.cwd, this.around);
    // What is in a container is made again from its image; its whole file system is still worth a stop.
    return command.elsewhere === null || command.elsewhere === "ssh" || CONTAINED.has(place) ? place : "inside";
  }

  /** The first of some paths that is in one of some places, as a person would write it. */
  find(paths: readonly Word[], command: SimpleCommand, ...places: readonly Place[]): string | null {
    for (const path of paths) if (places.includes(this.place(path, command))) return render(path);
    return null;
  }
}

/** A path in a container as this machine knows it, where it leads into a directory the container was given. */
function hostPath(path: Word, { mounts, cwd }: SimpleCommand): Word | null {
  if (mounts.length === 0) return null;
  const whole = resolvePath(path, cwd);
  const start = startOf(whole);
  for (const { host, guest } of mounts) {
    const base = guest.replace(/\/+$/, "");
    if (start === base || start.startsWith(`${base}/`)) {
      const rest = dropStart(whole, base.length);
      return wordOf([...host.pieces, ...rest.pieces]);
    }
  }
  return null;
}

/** Every command whose output reaches a command: by its input, or inside of its words. */
export function sourcesOf(command: SimpleCommand): SimpleCommand[] {
  return reach(inputsOf(command));
}

/** Commands, and all that they read from in turn. */
function reach(commands: readonly SimpleCommand[]): SimpleCommand[] {
  const found = new Set(commands);
  // A set that grows while it is gone through: what is added is looked at as well, and nothing twice.
  for (const one of found) for (const input of inputsOf(one)) found.add(input);
  return [...found];
}

/** A search through commands and all that they read from, of which each is looked at once. */
export function upstream<T>(
  look: (command: SimpleCommand) => T | null,
): (commands: readonly SimpleCommand[]) => T | null {
  const known = new WeakMap<SimpleCommand, T | null>();
  function findIn(command: SimpleCommand): T | null {
    const before = known.get(command);
    if (before !== undefined) return before;
    known.set(command, null);
    const found = look(command) ?? find(inputsOf(command));
    known.set(command, found);
    return found;
  }
  function find(commands: readonly SimpleCommand[]): T | null {
    for (const command of commands) {
      const found = findIn(command);
      if (found !== null) return found;
    }
    return null;
  }
  return find;
}

const inputs = new WeakMap<SimpleCommand, readonly SimpleCommand[]>();

/** The commands a command reads from itself; kept, because every rule asks it of every command of a pipeline. */
function inputsOf(command: SimpleCommand): readonly SimpleCommand[] {
  let known = inputs.get(command);
  if (known === undefined) {
    const { stdin, argv } = command;
    known = [...new Set([...(stdin.kind === "text" ? stdin.from : []), ...argv.flatMap(producersOf)])];
    inputs.set(command, known);
  }
  return known;
}
