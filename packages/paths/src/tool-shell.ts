import { COMMANDS, INTERPRETERS, isEditor, isPatch, ownName, SHELL, spelling, type ToolCall } from "./tool-names.js";

/** The shell text of a call, for tools that run one; undefined for all others. */
export function shellTextOf(call: ToolCall): string | undefined {
  const [first] = shellTextsOf(call);
  return first;
}

/** Every shell text of a call, also of calls it carries inside. */
export function shellTextsOf(call: ToolCall): string[] {
  return [...shellArguments(call)].map(({ text }) => text);
}

interface ShellArgument {
  readonly text: string;
  /** The object it stands in, which may say where it runs. */
  readonly within: Readonly<Record<string, unknown>>;
  /** The values that are spoken for by it. */
  readonly values: readonly unknown[];
}

const DEEPEST = 20;

export function* shellArguments(
  call: ToolCall,
  within: Readonly<Record<string, unknown>> = call.args,
  depth = 0,
): Generator<ShellArgument> {
  if (depth > DEEPEST) return;
  for (const [key, value] of Object.entries(within)) {
    const isCommand = COMMANDS.has(spelling(key)) && !(depth === 0 && isEditor(call));
    const isInput = depth === 0 && isShellInput(call, key);
    const isLines = spelling(key) === "commands" && isTexts(value);
    const text = isLines ? value.join("\n") : isCommand || isInput ? commandText(value) : undefined;
    if (text !== undefined && !isPatch(call.name, text)) {
      const more = isOneWord(value) ? commandText(within.args ?? within.arguments ?? within.argv) : undefined;
      const isList = more !== undefined && Array.isArray(within.args ?? within.arguments ?? within.argv);
      const values = isList ? [value, within.args ?? within.arguments ?? within.argv] : [value];
      yield { text: isList ? `${text} ${more}` : text, within, values };
    } else if (typeof value === "object" && value !== null) {
      for (const inner of Array.isArray(value) ? value : [value]) {
        if (typeof inner === "object" && inner !== null)
          yield* shellArguments(call, inner as Readonly<Record<string, unknown>>, depth + 1);
      }
    }
  }
}

/** What a shell's tool calls its text, unless it is the text of a program. */
function isShellInput({ name, args }: ToolCall, key: string): boolean {
  if (key === "code" && INTERPRETERS.test(ownName(name)))
    return /^(?:ba|z)?sh|shell$/i.test(String(args.language ?? ""));
  return (key === "input" || key === "code") && SHELL.test(ownName(name));
}

const isOneWord = (value: unknown) => typeof value === "string" && /^\S+$/.test(value);

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** A command as a text: lists are programs with arguments, and quoted so that they stay so. */
function commandText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isTexts(value)) return undefined;
  return value.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
