import { render, type SimpleCommand } from "@hooks/shell";
import { has, hasExactly, textsOf } from "../arguments.js";
import type { GitCommand } from "../git-command.js";
import type { Scene } from "../scene.js";

const SOURCE_FILE =
  /\.(txt|md|mdx|rst|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|py|pyi|rb|rs|go|java|kt|kts|scala|c|h|cc|cpp|cxx|hpp|cs|fs|swift|m|mm|php|pl|lua|r|jl|ex|exs|erl|hs|ml|clj|dart|zig|nim|sh|bash|zsh|fish|ps1|bat|sql|html?|css|scss|sass|less|json5?|jsonc|ya?ml|toml|ini|cfg|conf|env|xml|csv|tsv|lock|proto|graphql|tf|tfvars|gradle|properties|svg|png|jpe?g|gif|ipynb|log)$/i;

/** Whether one operand of `git checkout` is a path: a branch has no `./`, no star and no file's ending. */
function isPath(text: string): boolean {
  return (
    text === "." ||
    text === ".." ||
    /^(\.{1,2}\/|\/|~|:[/(!^])/.test(text) ||
    /[*?[]/.test(text) ||
    text.endsWith("/") ||
    SOURCE_FILE.test(text) ||
    /(^|\/)(Makefile|Dockerfile|README|LICENSE|package\.json)$/.test(text)
  );
}

/** Values that follow an option of `git checkout` only sometimes. */
function checkoutOperands({ options, operands }: GitCommand): readonly string[] {
  const texts = operands.map(render);
  const first = texts[0] ?? "";
  const isValue =
    (has(options, "--recurse-submodules") && /^(checkout|on-demand)$/.test(first)) ||
    (has(options, "--track", "-t") && /^(direct|inherit)$/.test(first));
  return isValue ? texts.slice(1) : texts;
}

export function discardsByCheckout(read: GitCommand): string | null {
  const { options, paths } = read;
  if (has(options, "-f", "--force")) return "every local change";
  if (hasExactly(options, "-b", "-B", "--orphan") || has(options, "--ours", "--theirs")) return null;
  if (paths.length > 0) return paths.map(render).join(" ");
  if (hasExactly(options, "--pathspec-from-file")) return "the listed paths";
  const operands = checkoutOperands(read);
  if (operands.length > 1) return operands.slice(1).join(" ");
  const [only] = operands;
  return only !== undefined && isPath(only) ? only : null;
}

export function cleans(read: GitCommand, scene: Scene, command: SimpleCommand): string | null {
  const { options, operands, paths, settings } = read;
  if (hasExactly(options, "-n", "--dry-run")) return null;
  const isForced =
    has(options, "-f", "--force") || settings.some((one) => /^clean\.requireforce=(false|no|0|off)$/i.test(one));
  if (!isForced) return null;
  const limits = [...operands, ...paths];
  const isRemakeable = limits.length > 0 && limits.every((path) => /^(temp|build)$/.test(scene.place(path, command)));
  return isRemakeable ? null : "every file that is not tracked";
}

export function forcesPush({ options, operands, paths }: GitCommand): string | null {
  if (hasExactly(options, "-n", "--dry-run")) return null;
  if (
    has(
      options.filter(({ name }) => !/^--force-/.test(name)),
      "-f",
      "--force",
    )
  )
    return "--force";
  if (has(options, "--mirror")) return "--mirror";
  return (
    textsOf([...operands, ...paths])
      .slice(1)
      .find((ref) => ref.startsWith("+")) ?? null
  );
}

export function deletesRemote({ options, operands, paths }: GitCommand): string | null {
  if (hasExactly(options, "-n", "--dry-run")) return null;
  const refs = textsOf([...operands, ...paths]).slice(1);
  if (has(options, "-d", "--delete")) return refs.join(" ") || "--delete";
  if (has(options, "--prune")) return "--prune";
  return refs.find((ref) => /^:[^/]*\S/.test(ref)) ?? null;
}

/** Branches that belong to everybody, by the names they usually have. */
export const SHARED =
  /(^|[\s:/])(main|master|trunk|develop|development|production|prod|staging|stable|release([/-]\S*)?|gh-pages)(\s|$)/;

export function forcesBranch({ options, operands }: GitCommand): string | null {
  const isForced = has(options, "-f", "--force");
  if (hasExactly(options, "-D") || (isForced && has(options, "-d", "--delete"))) return operands.map(render).join(" ");
  if (hasExactly(options, "-M", "-C") && operands.length > 1)
    return render(operands[1] as GitCommand["operands"][number]);
  return isForced && operands.length > 0 ? render(operands[0] as GitCommand["operands"][number]) : null;
}
