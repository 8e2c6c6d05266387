import { TapeError } from "./errors.js";

/** How far one path has been followed. */
interface State {
  readonly keys: readonly string[];
  readonly next: number;
}

/** Where in a value a walk is, seen from the paths that are looked for. */
export type Trail = readonly State[];

/** Reads paths such as `tool.args.password`, `tool.args.*.token` (any key) and `**.pin` (at any depth). */
export function compilePaths(paths: readonly string[]): Trail {
  return paths.map((path) => {
    const keys = path.split(".");
    if (keys.some((key) => key === "" || (key.includes("*") && key !== "*" && key !== "**")) || keys.at(-1) === "**") {
      const help = 'Keys are joined by dots; "*" is any key and "**" any number of them: tool.args.*.token, **.pin.';
      throw new TapeError("HARN_E_TAPE_MASK", `mask path "${path}" is not a path`, help);
    }
    return { keys, next: 0 };
  });
}

/** Follows a key. True: everything from here on is to be masked. */
export function follow(trail: Trail, key: string): Trail | true {
  if (trail.length === 0) return trail;
  const after: State[] = [];
  const pending = [...trail];
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    const wanted = state.keys[state.next];
    const onwards = { keys: state.keys, next: state.next + 1 };
    if (wanted === "**") {
      after.push(state);
      pending.push(onwards);
    } else if (wanted === "*" || wanted === key) {
      if (onwards.next === state.keys.length) return true;
      after.push(onwards);
    }
  }
  return after;
}
