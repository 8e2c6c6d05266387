import type { SimpleCommand } from "@hooks/shell";
import { FETCHERS } from "./fetchers.js";
import { upstream } from "./scene.js";

/** Programs that print nothing but settings for the shell that asked: `eval "$(ssh-agent -s)"`. */
const PRINTERS = /^(ssh-agent|gpg-agent|keychain|dircolors|resize|lesspipe|thefuck|register-python-argcomplete)$/;
/** And those that do when they are asked to: `eval "$(brew shellenv)"`, `source <(kubectl completion bash)`. */
const SETUPS =
  /^(completions?|shellenv|env|hook|init|activate|shell-hook|shell\.bash|docker-env|print-dev-env|generate-shell-completion|setup|--bash|--zsh|shell-init|export-credentials)$/;

/** Whether a script is what a tool prints to set up a shell. */
export function printsEnvironment(from: readonly SimpleCommand[]): boolean {
  return otherThanSetup(from) === null;
}

const otherThanSetup = upstream((command) => {
  const { program, argv, elsewhere } = command;
  if (program === null || elsewhere !== null) return command;
  const isSetup =
    PRINTERS.test(program) || (!FETCHERS.has(program) && argv.slice(1, 4).some(({ text }) => SETUPS.test(text ?? "")));
  return isSetup ? null : command;
});

/** Whether a script is a file of this machine as it is: `cat setup.sh | bash` is `bash setup.sh`. */
export function isLocalScript(from: readonly SimpleCommand[]): boolean {
  return otherThanLocal(from) === null;
}

const otherThanLocal = upstream((command) => {
  const { program, elsewhere, stdin } = command;
  return program === "cat" && elsewhere === null && stdin.kind !== "text" ? null : command;
});
