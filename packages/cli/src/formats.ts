import { lintCodes, type Problem, problemCodes, renderProblems, type Texts } from "@hooks/manifest";
import { VERSION } from "./version.js";

/** What a check of a manifest found. */
export interface Found {
  readonly name: string;
  readonly text: Texts;
  readonly problems: readonly Problem[];
}

export type Format = "text" | "json" | "sarif" | "github" | "junit";

/** Each way of telling what is wrong: for people, programs, code scanning, and two kinds of CI. */
export const FORMATS: Readonly<Record<Format, (found: Found) => string>> = {
  text: ({ problems, text }) => renderProblems(problems, text),
  json: ({ name, problems }) =>
    JSON.stringify({ ok: problems.every(({ severity }) => severity !== "error"), manifest: name, problems }),
  sarif,
  github: ({ problems }) => problems.map(annotation).join("\n"),
  junit,
};

function sarif({ problems }: Found): string {
  const catalogue: Readonly<Record<string, string>> = { ...problemCodes, ...lintCodes };
  const codes = [...new Set(problems.map(({ code }) => code))];
  const rules = codes.map((id) => ({ id, shortDescription: { text: catalogue[id] ?? id } }));
  const results = problems.map(({ code, severity, place, ...problem }) => ({
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: sentence(problem) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: place.file.replaceAll("\\", "/") },
          region: { startLine: place.line, startColumn: place.column, endColumn: place.column + place.length },
        },
      },
    ],
  }));
  return JSON.stringify({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "harn", version: VERSION, rules } }, columnKind: "utf16CodeUnits", results }],
  });
}

function annotation({ code, severity, place, ...problem }: Problem): string {
  const { file, line, column, length } = place;
  const fields = { file, line, col: column, endColumn: column + length, title: code };
  const shown = Object.entries(fields).map(
    ([key, value]) => `${key}=${commandText(String(value)).replace(/[:,]/g, percent)}`,
  );
  return `::${severity} ${shown.join(",")}::${commandText(sentence(problem))}`;
}

// The runner reads a command up to the end of its line.
function commandText(text: string): string {
  return text.replace(/[%\r\n]/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function junit({ name, problems }: Found): string {
  const cases =
    problems.length === 0
      ? [`    <testcase name="${xml(name)}" classname="harn.validate"/>`]
      : problems.map(({ code, severity, place, ...problem }) => {
          const where = `${place.file}:${place.line}:${place.column}`;
          return `    <testcase name="${xml(`${code} ${where}`)}" classname="harn.validate">
      <failure type="${severity}" message="${xml(problem.message)}">${xml(`${where}: ${sentence(problem)}`)}</failure>
    </testcase>`;
        });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="harn" tests="${cases.length}" failures="${problems.length}">
  <testsuite name="harn validate" tests="${cases.length}" failures="${problems.length}">
${cases.join("\n")}
  </testsuite>
</testsuites>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function xml(text: string): string {
  // What XML 1.0 cannot hold at all is left out.
  return text.replace(/[^\P{Cc}\t\n]/gu, "").replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

function sentence({ message, hint, help }: Pick<Problem, "message" | "hint" | "help">): string {
  return [message, hint, help].filter((part) => part !== undefined).join("; ");
}
