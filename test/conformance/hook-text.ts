/** The text of a Markdown hook; `body` is what its handle does. */
export function hookText(body: string, fields: Readonly<Record<string, string | number>> = {}): string {
  const { event = "tool.pre", top = "", prose = "# why\n", ...rest } = fields;
  const lines = Object.entries(rest).map(([key, value]) => `${key}: ${value}\n`);
  const script = [...String(top).split("\n").filter(Boolean), "def handle(event, payload):", ...indented(body)];
  return `---\nevent: ${event}\n${lines.join("")}script: |\n${indented(script.join("\n")).join("\n")}\n---\n\n${prose}`;
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
