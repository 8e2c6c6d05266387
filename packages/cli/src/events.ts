import {
  type CatalogueName,
  callback,
  catalogue,
  catalogueNames,
  type EventSpec,
  harn,
  isGate,
  markdown,
  settings,
} from "@hooks/core";
import type { Paint } from "./terminal.js";

const DIALECTS = [harn, markdown, settings, callback];

/** The catalogue as data. */
export function describeEvents() {
  return catalogueNames.map((name: CatalogueName) => {
    const { summary, honours, subject, modifies, fault }: EventSpec = catalogue[name];
    const names = Object.fromEntries(DIALECTS.map((dialect) => [dialect.name, dialect.names[name]]));
    return { name, summary, gate: isGate(catalogue[name]), honours, subject, modifies, on_error: fault, names };
  });
}

/** The catalogue for a person. */
export function eventLines(paint: Paint): string[] {
  const events = describeEvents();
  const width = Math.max(...events.map(({ name }) => name.length));
  return events.flatMap(({ name, summary, gate, honours, subject }) => [
    `${paint("bold", name.padEnd(width))}  ${paint(gate ? "yellow" : "dim", gate ? "gate    " : "advisory")}  ${summary}`,
    paint(
      "dim",
      `${" ".repeat(width + 12)}honours ${honours.join(", ")}${subject === null ? "" : `; patterns match ${subject}`}`,
    ),
  ]);
}
