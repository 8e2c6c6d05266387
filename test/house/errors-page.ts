import { errorCodes } from "@hooks/core";
import { lintCodes, problemCodes } from "@hooks/manifest";
import { tapeErrorCodes } from "@hooks/tape";
import { cliCodes } from "../../packages/cli/src/exit.js";
import { remedyOf } from "./error-remedies.js";

const CATALOGUES: readonly (readonly [from: string, codes: Readonly<Record<string, string>>])[] = [
  ["@hooks/core", errorCodes],
  ["@hooks/manifest", { ...problemCodes, ...lintCodes }],
  ["@hooks/tape", tapeErrorCodes],
  ["harn", cliCodes],
];

/** Every code of every package, with the facts it stands for and who says them. */
export function catalogueOfErrors(): ReadonlyMap<string, readonly { readonly from: string; readonly fact: string }[]> {
  const all = CATALOGUES.flatMap(([from, codes]) =>
    Object.entries(codes).map(([code, fact]) => ({ code, from, fact })),
  );
  const groups = new Map<string, { from: string; fact: string }[]>();
  for (const { code, ...entry } of all) groups.set(code, [...(groups.get(code) ?? []), entry]);
  return groups;
}

/** docs/errors.md, from the catalogues. */
export function renderErrorsPage(): string {
  const codes = [...catalogueOfErrors()].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = codes.map(([code, facts]) => {
    const { cause = "", remedy = "" } = remedyOf(code) ?? {};
    const said = [...new Set(facts.map(({ fact }) => fact))].join(" ");
    const from = facts.map((entry) => `\`${entry.from}\``).join(", ");
    return `## ${code}\n\n${said}\n\n- Cause: ${cause}\n- Remedy: ${remedy}\n- Raised by: ${from}`;
  });
  return `# Errors

Generated from the catalogues of the packages. Do not edit it by hand; regenerate it with
\`npx vitest run test/house/errors.test.ts -u\`.

A code never changes its meaning. \`HARN_E_\` is an error: the policy does not load, or the command or call fails. \`HARN_W_\` is a warning:
it loads, and is probably not meant. Every message has the fact, the place where there is one, and what to do.

${sections.join("\n\n")}
`;
}
