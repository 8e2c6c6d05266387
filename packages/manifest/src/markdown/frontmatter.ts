import type { Place } from "../problem.js";
import { parseYaml, type YamlDocument } from "./yaml.js";

const FENCE = /^---[ \t]*$/;

/** Why a text has no frontmatter, and the line that shows it. */
export interface NoFrontmatter {
  readonly reason: "missing" | "unclosed";
  readonly message: string;
  readonly help: string;
  readonly place: Omit<Place, "file">;
}

/**
 * The frontmatter of a Markdown file: what stands between a first line `---` and the next one. What follows is prose for
 * the people who review it, and nothing in it is ever read, code blocks included.
 */
export function readFrontmatter(text: string): YamlDocument | NoFrontmatter {
  const lines = text.split("\n");
  const [first = ""] = lines;
  if (!FENCE.test(first)) {
    return {
      reason: "missing",
      message: "a Markdown file must start with a --- frontmatter delimiter",
      help: "put the hook's fields between two lines of three dashes, at the top of the file",
      place: { line: 1, column: 1, length: Math.max(1, first.length) },
    };
  }
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1) {
    return {
      reason: "unclosed",
      message: "no closing --- delimiter found for the frontmatter",
      help: "close it with a line of three dashes, before the prose",
      place: { line: 1, column: 1, length: first.length },
    };
  }
  // An empty line in place of the delimiter: lines of the YAML are lines of the file.
  return parseYaml(["", ...lines.slice(1, end)].join("\n"));
}
