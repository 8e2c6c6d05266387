import type { Rule } from "../rule.js";
import { hasSubcommand, shapeOf } from "../shape.js";

/** Options with which nothing happens. */
const DRY =
  /^(--dry-?run(=(true|client|server|all))?|--dryrun|--no-act|--just-print|--what-if|--whatif|--simulate|--check|--plan|--preview)$/i;

/** A test by words: hits where a command is asked to do what one of the shapes says, and is not a dry run. */
export function shapeTest(...texts: readonly string[]): Rule["test"] {
  const shapes = texts.map(shapeOf);
  return (command) => {
    const at = shapes.findIndex((shape) => hasSubcommand(command, shape));
    if (at === -1 || command.argv.some(({ text }) => DRY.test(text ?? ""))) return null;
    const simulates =
      /^(apt|apt-get|aptitude)$/.test(command.program ?? "") && command.argv.some(({ text }) => text === "-s");
    return simulates ? null : (texts[at] as string);
  };
}

interface Shaped extends Omit<Rule, "test" | "programs"> {
  readonly shapes: readonly string[];
}

/** A rule that is nothing but words. */
export function shaped({ shapes, ...rule }: Shaped): Rule {
  const programs = new Set(shapes.flatMap((shape) => shape.split(/\s+/, 1)[0]?.split("|") ?? []));
  return { ...rule, programs: [...programs], test: shapeTest(...shapes) };
}
