import { readOptions, render, resolvePath, type SimpleCommand, type Word } from "@hooks/shell";
import type { Scene } from "./scene.js";
import { writesOf } from "./writes.js";

const known = new WeakMap<Scene, ReadonlyMap<string, string>>();

/** Files into which the command itself put a secret, each with the secret: `tar czf /tmp/k.tgz ~/.ssh`. */
export function copiesOf(
  scene: Scene,
  readsSecret: (command: SimpleCommand) => string | null,
): ReadonlyMap<string, string> {
  let copies = known.get(scene);
  if (copies === undefined) {
    copies = findCopies(scene, readsSecret);
    known.set(scene, copies);
  }
  return copies;
}

function findCopies(scene: Scene, readsSecret: (command: SimpleCommand) => string | null): Map<string, string> {
  const copies = new Map<string, string>();
  for (const command of scene.analysis.commands) {
    if (!STORES.test(command.program ?? "") && command.redirections.length === 0) continue;
    const paths = [...writesOf(command).map(({ path }) => path), ...archiveOf(command)];
    if (paths.length === 0) continue;
    const secret =
      readsSecret(command) ??
      command.argv
        .slice(1)
        .map((word) => copies.get(placeOf(word, command)))
        .find((one) => one !== undefined);
    if (secret == null) continue;
    for (const path of paths) if (path.text !== secret) copies.set(placeOf(path, command), secret);
  }
  return copies;
}

/** Programs that put what they are given into a file. */
const STORES = /^(cp|mv|install|ln|tar|bsdtar|zip|7z|7za|openssl|gpg|dd|tee|base64|rsync|age)$/;

function placeOf(path: Word, { cwd }: SimpleCommand): string {
  return render(resolvePath(path, cwd));
}

/** Which secret a word, or what stands behind `@` or `=` in it, is a copy of. */
export function copyIn(word: Word, command: SimpleCommand, copies: ReadonlyMap<string, string>): string | null {
  if (copies.size === 0 || word.text === null) return null;
  const paths = [word.text, word.text.replace(/^[^@=<]*[@=][@<]?/, "")];
  const found = paths.map((text) => copies.get(placeOf({ ...word, pieces: [{ kind: "text", text }], text }, command)));
  return found.find((one) => one !== undefined) ?? null;
}

/** The file an archiver, or a program that encrypts, writes. */
function archiveOf({ program, argv }: SimpleCommand): readonly Word[] {
  const args = argv.slice(1);
  if (program === "tar" || program === "bsdtar") {
    // `tar czf a.tgz`: the first word is a bundle of options with or without a dash.
    const [first, second] = args;
    if (/^[a-zA-Z]*c[a-zA-Z]*f$/.test(first?.text ?? "")) return second === undefined ? [] : [second];
    const { options } = readOptions(args, { short: "fCTXbgHKLNVI", long: ["file", "directory"] });
    return options.flatMap(({ name, value }) =>
      (name === "-f" || name === "--file") && value !== null ? [value] : [],
    );
  }
  if (program === "zip" || program === "7z" || program === "7za") {
    const { operands } = readOptions(args, {});
    return operands.filter(({ text }) => text !== "a").slice(0, 1);
  }
  const at = args.findIndex(({ text }) => /^(-o|-out|--output)$/.test(text ?? ""));
  return args[at + 1] === undefined || at === -1 ? [] : [args[at + 1] as Word];
}
