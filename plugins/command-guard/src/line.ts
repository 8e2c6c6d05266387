import { render, type SimpleCommand } from "@hooks/shell";

const LONGEST_LINE = 200;

/** A command as a person would write it, cut where it is long. */
export function lineOf(command: SimpleCommand): string {
  const line = command.argv.map(render).join(" ");
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line;
}
