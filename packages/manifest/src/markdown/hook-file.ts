import {
  compilePattern,
  type EventName,
  HarnError,
  isGate,
  markdown,
  nearest,
  type OnError,
  specOf,
  typeName,
} from "@hooks/core";
import type { Path } from "../document.js";
import type { Problem } from "../problem.js";
import { type Field, isDuration, isTable, isText, Report, type Spot, type Table, valueText } from "../report.js";
import { readText } from "../text-file.js";
import { readFrontmatter } from "./frontmatter.js";
import type { Host } from "./host.js";
import { compileScript, compileWhen, type Script, type When } from "./script.js";
import type { Source } from "./sources.js";
import type { YamlDocument } from "./yaml.js";

/** A hook of a Markdown file, checked and compiled. */
export interface MarkdownHook {
  readonly name: string;
  readonly event: EventName;
  readonly priority: number | undefined;
  readonly timeout_ms: number | undefined;
  readonly on_error: OnError | undefined;
  readonly pattern: string | undefined;
  readonly when: { readonly text: string; readonly test: When } | undefined;
  readonly script: Script | undefined;
  /** Where it is declared, for whoever has to tell two of them apart. */
  readonly place: Problem["place"];
}

export interface FileResult {
  readonly text: string;
  readonly hooks: readonly MarkdownHook[];
  readonly problems: readonly Problem[];
  /** The hosts `network.allowed_domains` of harness.md lets hooks talk to. */
  readonly allowedDomains: readonly { readonly domain: string; readonly spot: Spot }[];
}

const FIELDS: readonly string[] = ["event", "script", "when", "priority", "on_error", "timeout_ms", "pattern"];
const BUNDLE_FIELDS: readonly string[] = [
  "name",
  "type",
  "version",
  "description",
  "author",
  "tags",
  "depends_on",
  "condition",
  "tools",
  "hooks",
];
/** What registering at run time fires. */
const META: readonly string[] = ["meta.tool_register", "meta.hook_register"];
const NAMED_BY_FILE = "the file's name is the hook's name";
// What else stands in harness.md is the business of whoever reads it; these two are ours.
const HARNESS_FIELDS: readonly string[] = ["hooks", "network"];

/** Reads the hooks of one Markdown file. `file` is what messages call it. */
export async function readHookFile(source: Source, file: string, isStrict: boolean, host: Host): Promise<FileResult> {
  const read = await readText(source.path, file, "HARN_E_SOURCE_READ");
  if ("problem" in read) return { text: "", hooks: [], problems: [read.problem], allowedDomains: [] };
  const { text } = read;
  const document = readFrontmatter(text);
  if ("reason" in document) {
    const { reason, message, help, place } = document;
    // Prose about a harness is no mistake; a hook that cannot be read is one.
    const isProse = reason === "missing" && source.kind === "harness";
    const problem: Problem = {
      code: isProse ? "HARN_W_NOT_LOADED" : "HARN_E_FRONTMATTER",
      severity: isProse ? "warning" : "error",
      message: isProse ? `${file} has no frontmatter: no hooks are read from it` : message,
      place: { file, ...place },
      help,
    };
    return { text, hooks: [], problems: [problem], allowedDomains: [] };
  }
  return new HookFile(source, file, text, document, isStrict, host).read();
}

class HookFile {
  private readonly report: Report;

  constructor(
    private readonly source: Source,
    private readonly file: string,
    private readonly text: string,
    private readonly document: YamlDocument,
    private readonly isStrict: boolean,
    private readonly host: Host,
  ) {
    this.report = new Report(file, document, isStrict, (key, value) => `${key}: ${value}`);
  }

  read(): FileResult {
    const { document, source, text } = this;
    const { problems } = this.report;
    for (const { message, spot } of document.mistakes) {
      problems.push({
        code: "HARN_E_YAML",
        severity: "error",
        message: `parse hook ${this.file}: yaml: line ${spot.line}: ${message}`,
        place: { file: this.file, ...spot },
        help: "correct the YAML here; a text with : or # in it stands in quotes",
      });
    }
    const none = { text, hooks: [], problems, allowedDomains: [] };
    if (document.mistakes.length > 0) return none;
    const root = document.value ?? {};
    if (!isTable(root)) {
      this.report.add({
        code: "HARN_E_KEY_TYPE",
        path: [],
        message: `the frontmatter must be a mapping, got ${typeName(root)}`,
        help: "write it as key: value",
      });
      return none;
    }
    if (source.kind === "hook") {
      const hook = this.hook(root, [], stemOf(source.place), FIELDS);
      return { ...none, hooks: hook === undefined ? [] : [hook] };
    }
    return { ...none, hooks: this.listed(root), allowedDomains: this.domains(root.network) };
  }

  private listed(root: Table): MarkdownHook[] {
    const { kind, place } = this.source;
    if (kind === "bundle") this.report.unknownKeys(root, [], BUNDLE_FIELDS);
    else {
      for (const key of Object.keys(root)) {
        const near = HARNESS_FIELDS.includes(key) ? undefined : nearest(key, HARNESS_FIELDS);
        if (near !== undefined) this.report.unknownKey([key], HARNESS_FIELDS);
      }
    }
    const { hooks } = root;
    if (hooks === undefined || hooks === null) return [];
    if (!Array.isArray(hooks)) {
      this.report.add({
        code: "HARN_E_KEY_TYPE",
        path: ["hooks"],
        message: `"hooks" must be a list, got ${typeName(hooks)}`,
        help: "write each hook as an item: - event: tool.pre",
      });
      return [];
    }
    if (root.condition !== undefined && hooks.length > 0) {
      this.report.add({
        code: "HARN_W_NO_EFFECT",
        severity: "warning",
        path: ["condition"],
        atKey: true,
        message: "a condition does not switch hooks off: those of this bundle always run",
        help: "scope a hook with its own when",
      });
    }
    return hooks.flatMap((item: unknown, index) => {
      const path = ["hooks", index];
      if (!isTable(item)) {
        this.report.add({
          code: "HARN_E_KEY_TYPE",
          path,
          message: `hooks[${index}] must be a mapping, got ${typeName(item)}`,
          help: "write it as - event: tool.pre",
        });
        return [];
      }
      const { handler } = item;
      if (handler !== undefined && (typeof handler !== "string" || handler === "")) {
        this.report.add({
          code: "HARN_E_KEY_TYPE",
          path: [...path, "handler"],
          message: `"handler" must be a text, got ${typeName(handler)}`,
          help: "it is the hook's name",
        });
      }
      const name = typeof handler === "string" && handler !== "" ? handler : `${stemOf(place)}.hooks[${index}]`;
      const hook = this.hook(item, path, name, ["handler", ...FIELDS]);
      return hook === undefined ? [] : [hook];
    });
  }

  private hook(table: Table, path: Path, name: string, fields: readonly string[]): MarkdownHook | undefined {
    const { report } = this;
    const before = report.errors;
    report.unknownKeys(table, path, fields, fields === FIELDS ? { name: NAMED_BY_FILE, handler: NAMED_BY_FILE } : {});
    const event = this.event(table, path, name);
    const priority = report.field(table, path, "priority", INTEGER);
    const timeout_ms = report.field(table, path, "timeout_ms", DURATION);
    const on_error = report.field(table, path, "on_error", ON_ERROR);
    const pattern = report.field(table, path, "pattern", PATTERN);
    const whenText = report.field(table, path, "when", WHEN);
    const scriptText = report.field(table, path, "script", SCRIPT);
    if (event !== undefined) {
      this.neverFired(event, path);
      this.eventSettings(event, pattern, on_error, path);
      this.vainVeto(event, name, scriptText ?? "", path);
    }
    const when = whenText === undefined || whenText.trim() === "" ? undefined : this.when(whenText, [...path, "when"]);
    const script = this.script(scriptText, name, [...path, "script"], timeout_ms);
    if (event === undefined || report.errors > before) return undefined;
    return {
      name,
      event,
      priority,
      timeout_ms,
      on_error,
      pattern,
      when,
      script,
      place: report.placeOf({ path: [...path, "event"] }),
    };
  }

  private event(table: Table, path: Path, name: string): EventName | undefined {
    const { event } = table;
    const at = [...path, "event"];
    if (event === undefined || event === null || event === "") {
      this.report.add({
        code: "HARN_E_KEY_MISSING",
        path: at,
        message: `hook "${name}": event field is required in frontmatter`,
        help: "write event: tool.pre, or another event",
      });
      return undefined;
    }
    const resolved = typeof event === "string" ? markdown.resolve(event) : undefined;
    if (resolved !== undefined) return resolved.event;
    const names = Object.values(markdown.names).flat();
    const near = typeof event === "string" ? (nameFor(event) ?? nearest(event, names)) : undefined;
    const index = path.length === 0 ? "" : `hooks[${path[1]}].`;
    this.report.add({
      code: "HARN_E_EVENT_UNKNOWN",
      path: at,
      message: `hook "${name}": ${index}event ${valueText(event)} is invalid`,
      hint: near === undefined ? undefined : `did you mean "${near}"?`,
      help: `events of Markdown hooks: ${names.join(", ")}`,
    });
    return undefined;
  }

  /** A name with its words the other way round is a name like any other, and nobody fires it. */
  private neverFired(event: EventName, path: Path): void {
    if (!event.startsWith("meta.") || META.includes(event)) return;
    const words = (name: string) => name.slice("meta.".length).split("_").sort().join();
    const near = META.find((name) => words(name) === words(event)) ?? nearest(event, META);
    if (near === undefined) return;
    this.report.add({
      code: "HARN_W_NO_EFFECT",
      severity: "warning",
      path: [...path, "event"],
      message: `${event} is never fired here`,
      hint: `did you mean "${near}"?`,
      help: `registering fires ${META.join(" and ")}`,
    });
  }

  private eventSettings(
    event: EventName,
    pattern: string | undefined,
    on_error: OnError | undefined,
    path: Path,
  ): void {
    const spec = specOf(event);
    if (pattern !== undefined) {
      try {
        compilePattern(pattern, event, spec);
      } catch (error) {
        if (!(error instanceof HarnError)) throw error;
        this.report.add({
          code: "HARN_E_PATTERN",
          path: [...path, "pattern"],
          message: error.message,
          help: error.help ?? "",
        });
      }
    }
    if (on_error === "block" && !isGate(spec)) {
      this.report.add({
        code: "HARN_W_NO_EFFECT",
        severity: "warning",
        path: [...path, "on_error"],
        message: `${event} is advisory: a fault cannot block anything there`,
        help: 'use "allow" or "raise"',
      });
    }
  }

  /** What a script would do is not known before it runs; that it speaks of a block can be read. */
  private vainVeto(event: EventName, name: string, script: string, path: Path): void {
    if (isGate(specOf(event)) || !/\bblock\s*\(/.test(script)) return;
    this.report.add({
      code: "HARN_W_VETO_ADVISORY",
      severity: "warning",
      path: [...path, "event"],
      message: `hook "${name}" can block, and ${markdown.names[event as keyof typeof markdown.names]?.[0] ?? event} honours no block: it would be recorded and have no effect`,
      help: "subscribe to an event that can be blocked, or only log",
    });
  }

  private when(text: string, path: Path): MarkdownHook["when"] {
    const test = compileWhen(text, this.file);
    if (typeof test === "function") return { text: text.trim(), test };
    this.report.add({
      code: "HARN_E_STARLARK",
      path,
      message: `when: ${test.message}`,
      help: "when sees payload, event and the built-ins of the language",
    });
    return undefined;
  }

  private script(
    text: string | undefined,
    name: string,
    path: Path,
    timeout_ms: number | undefined,
  ): Script | undefined {
    if (text === undefined || text.trim() === "") {
      this.report.add({
        code: "HARN_W_NO_SCRIPT",
        severity: "warning",
        path,
        message: `hook "${name}" has no script: it does nothing`,
        help: "write script: |, and below it def handle(event, payload):",
      });
      return undefined;
    }
    const block = this.document.blockAt(path);
    // Empty lines in front: the lines of the script are those of the file, in every message and traceback.
    const source = "\n".repeat((block?.line ?? 1) - 1) + text;
    const result = compileScript(source, this.file, block?.indent ?? 0, timeout_ms, this.host);
    if ("mistake" in result) {
      const { message, line, column } = result.mistake;
      const spot = block === undefined ? this.document.locate(path) : { line, column, length: 1 };
      const inside = block === undefined ? `script, line ${line}: ` : "";
      this.report.problems.push({
        code: "HARN_E_STARLARK",
        severity: "error",
        message: `${inside}${message}`,
        place: { file: this.file, ...spot },
        help: "correct the script; it is Starlark, and runs without files, processes and modules",
      });
      return undefined;
    }
    const { missing } = result.script;
    if (missing !== undefined) {
      this.report.add({
        code: "HARN_W_NO_HANDLE",
        severity: this.isStrict ? "error" : "warning",
        path,
        atKey: true,
        message: `hook "${name}": ${missing}`,
        help: "define handle(event, payload); each call of this hook is a fault until then",
      });
    }
    return result.script;
  }

  private domains(network: unknown): FileResult["allowedDomains"] {
    if (network === undefined || network === null) return [];
    const refuse = (path: Path, message: string): [] => {
      this.report.add({
        code: "HARN_E_KEY_TYPE",
        path,
        message,
        help: "write network: { allowed_domains: [api.example.com] }",
      });
      return [];
    };
    if (!isTable(network)) return refuse(["network"], `"network" must be a mapping, got ${typeName(network)}`);
    this.report.unknownKeys(network, ["network"], ["allowed_domains"]);
    const { allowed_domains: domains } = network;
    const path = ["network", "allowed_domains"];
    if (domains === undefined || domains === null) return [];
    if (!Array.isArray(domains)) return refuse(path, `"allowed_domains" must be a list, got ${typeName(domains)}`);
    return domains.flatMap((domain: unknown, index) => {
      if (typeof domain !== "string")
        return refuse(
          [...path, index],
          `item ${index + 1} of "allowed_domains" must be a text, got ${typeName(domain)}`,
        );
      return [{ domain, spot: this.document.locate([...path, index]) }];
    });
  }
}

/** The Markdown name of an event that is written the way another kind of hook writes it. */
function nameFor(event: string): string | undefined {
  const names = (markdown.names as Readonly<Record<string, readonly string[]>>)[event];
  return names?.[0];
}

function stemOf(place: string): string {
  return place.slice(place.lastIndexOf("/") + 1).replace(/\.md$/, "");
}

const isOnError = (value: unknown): value is OnError => value === "block" || value === "allow" || value === "raise";
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

const INTEGER: Field<number> = { isRight: isInteger, expected: "a whole number", example: "10" };
const DURATION: Field<number> = {
  isRight: isDuration,
  expected: "a number of milliseconds above 0",
  example: "5000",
};
const ON_ERROR: Field<OnError> = { isRight: isOnError, expected: '"block", "allow" or "raise"', example: "block" };
const PATTERN: Field<string> = { isRight: isText, expected: "a text", example: '"run_*"' };
const WHEN: Field<string> = {
  isRight: isText,
  expected: "a text: one Starlark expression",
  example: `'payload["name"] == "run_command"'`,
};
const SCRIPT: Field<string> = {
  isRight: isText,
  expected: "a text: the Starlark source",
  example: "|, and the script below it",
};
