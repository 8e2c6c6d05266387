/** What makes a shell do more than run one program with arguments, or think of other words than those that are there. */
const MORE = /[|&;<>()`*?[\]#~!\\\n=]|\$\(|'[^']*\$/;

/** Words a shell understands itself, so that there is no program to look for. */
const OWN =
  /^(?:[:.{]|cd|exit|export|set|unset|source|eval|exec|trap|umask|return|read|shift|ulimit|wait|type|command|if|for|while|until|case|function|time)$/;

/**
 * The words of a command line that a shell would run as they stand, its variables filled in; undefined for a line that
 * asks more of its shell. To be looked at, not to be run.
 */
export function wordsOf(line: string, variables: Readonly<Record<string, string>>): readonly string[] | undefined {
  if (MORE.test(line)) return undefined;
  const words = line.trim().match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const filled = words.map((word) =>
    word.replace(/["']/g, "").replace(/\$\{?(\w+)\}?/g, (whole, name: string) => variables[name] ?? whole),
  );
  const [program = ""] = filled;
  const isKnown = program !== "" && !OWN.test(program) && filled.every((word) => !word.includes("$"));
  return isKnown && /["']/.test(line.replace(/"[^"]*"|'[^']*'/g, "")) === false ? filled : undefined;
}
