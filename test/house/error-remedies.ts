/** Why an error usually comes up, and what to do about it. The facts stand beside the codes, in the packages that raise them. */
export interface Remedy {
  readonly cause: string;
  readonly remedy: string;
}

type Row = readonly [cause: string, remedy: string];

const MISSPELT = "A word is misspelt, or comes from another hook system.";

const ROWS: Readonly<Record<string, Row>> = {
  HARN_E_LAYER: [
    "A project removes, retargets or loosens a hook of a pack or of the machine.",
    "Tighten it where the pack marks an option as tunable, add a hook of your own, or ask whoever keeps the pack.",
  ],
  HARN_E_UNSETTLED: [
    "Two hooks rewrite each other's work, and the gate before them has to answer again each time.",
    "Let one of them rewrite, or make both agree on what they leave alone.",
  ],
  HARN_E_WAIVER: [
    "The pack does not let this hook be waived, or the waiver lacks a reason or a day it ends.",
    "Write id, reason and expiry as docs/policy-packs.md shows, or ask whoever keeps the pack.",
  ],
  HARN_W_IGNORED: [
    "The machine's policy says that only managed hooks count.",
    "Ask whoever manages the machine to bring the hook.",
  ],
  HARN_W_WAIVER_EXPIRED: ["The day a waiver was for has passed.", "Take it out, or have it renewed."],
  HARN_E_LOCK: [
    "A file of a package is not what `harn.lock` says it is.",
    "Reinstall the package; if the change is meant, lock it anew.",
  ],
  HARN_E_UNTRUSTED: [
    "The policy of this project was changed, or never looked at on this machine.",
    "Read it, and run `harn trust`.",
  ],
  HARN_E_REGISTRY: [
    "A package of a scope that belongs to one registry was installed from another, or nobody wrote down from where.",
    "Set the scope's registry in `.npmrc`, install the package anew, and run `harn lock`.",
  ],
  HARN_E_PROVENANCE: [
    "`[policy] require_provenance` names a package whose registry has no attestation of it, or one that does not hold.",
    "Publish it from CI with `harn publish --provenance`, or use a version that was; then run `harn lock`.",
  ],
  HARN_E_SCOPE: [
    "The settings of the package manager lead to another registry than the one the policy or `.npmrc` names for the scope.",
    "Set the scope's registry in `.npmrc`, or leave `--registry` out.",
  ],
  HARN_E_AGENT_SETTINGS: [
    "The settings of an agent are not valid, or not where they are expected.",
    "Correct the file the message names; nothing in it was changed.",
  ],
  HARN_E_ENDED: [
    "An inline hook called `process.exit`, or left a promise behind that was rejected later: neither can be caught in its call. What was being asked was answered with a block.",
    'Let the hook return or throw, and await what it starts. With `isolation = "worker"` it can end only itself.',
  ],
  HARN_E_SERVER: [
    "`harn serve` was started while a server of the same user is running, or with a port somebody else listens on.",
    "Use the one that runs, or stop it first; choose another `--port`.",
  ],
  HARN_E_API: [
    "The package was written for another major version of the hook API.",
    "Install a version of it whose `harn.api` fits, or ask its authors for one.",
  ],
  HARN_E_CONTRACT: [
    "A handler returns something its event does not honour, or a key that no answer has.",
    "Return one of the answers of the event: docs/events.md has them, and the constructors of `@hooks/core` are typed by them.",
  ],
  HARN_E_DELEGATION: [
    "Agents delegate to each other in a circle.",
    "Break the circle, or raise `maxDepth` of the session.",
  ],
  HARN_E_EVENT_NOT_SERVED: [
    "The hook of a package is bound to an event its package.json does not list.",
    "Bind it to one of the events the message names.",
  ],
  HARN_E_EVENT_UNKNOWN: [MISSPELT, "`harn list --events` prints every event; the message names the nearest one."],
  HARN_E_EXISTS: ["The directory is there and not empty.", "Choose another with `--directory`, or empty it."],
  HARN_E_EXPORT_MISSING: [
    "The function was renamed, is not exported, or the handler names another module.",
    "Export it, or name one of the functions the message lists.",
  ],
  HARN_E_FILE_READ: [
    "The file is missing, cannot be read, or is not what the command needs.",
    "Name another file, or run `harn init` where there is no policy yet.",
  ],
  HARN_E_FILE_WRITE: [
    "The directory is read-only, full, or a file stands where a directory should be.",
    "Make room or give the right to write, and run the same command again: nothing was half-written.",
  ],
  HARN_E_FRONTMATTER: [
    "The file does not begin with `---`, or the block is not closed.",
    "Put the fields between two lines of `---` at the top of the file.",
  ],
  HARN_E_HANDLER_SYNTAX: ["The `::` between module and export is missing.", 'Write `handler = "module::export"`.'],
  HARN_E_HOOK_BUDGET: [
    "A script loops too long, builds too much, or nests too deeply.",
    "Make it do less, or raise its `timeout_ms`, which is also its number of steps.",
  ],
  HARN_E_HOOK_EXIT: [
    "The executable failed, or uses exit codes of its own.",
    "Exit 0 to pass and 2 to veto; what it printed on standard error is in the warning.",
  ],
  HARN_E_HOOK_OUTPUT: [
    "The executable printed more than is read, or bytes that are no UTF-8.",
    "Print the answer only, and everything else to a file.",
  ],
  HARN_E_HOOK_START: [
    "The program is not there, or not executable.",
    "Check `command` in harn.toml and the `PATH` the agent runs with.",
  ],
  HARN_E_HOOK_THREW: [
    "A handler has a defect, or met a payload it did not expect.",
    "`harn explain` with the payload of the warning shows it again; catch what it may meet.",
  ],
  HARN_E_HOOK_TIMEOUT: [
    "A handler waits for something slow, or never settles.",
    "Make it answer earlier, or raise its `timeout_ms`.",
  ],
  HARN_E_ID_DUPLICATE: ["Two entries were copied from each other.", "Give each hook an `id` of its own."],
  HARN_E_INPUT: [
    "The line is not JSON, or not an object with `event` and `payload`.",
    'Send `{"event": "PreToolUse", "payload": {...}}`, one on each line.',
  ],
  HARN_E_INSTALL: [
    "The package is not in the registry, the network is away, or the package manager is not installed.",
    "What the package manager said stands above the message; put that right and run the command again.",
  ],
  HARN_E_INTERNAL: ["A defect of Harn.", "Run it again with `HARN_DEBUG=1` and report what it prints."],
  HARN_E_JSON: [
    "A settings file has a trailing comma, a comment or an open bracket.",
    "Correct the place the message points at.",
  ],
  HARN_E_KEY_MISSING: ["A required key was forgotten.", "Add it: the message shows how it is written."],
  HARN_E_KEY_TYPE: [
    "A number stands in quotes, a list is missing its brackets, or a value is out of range.",
    "Write it as the message shows.",
  ],
  HARN_E_KEY_UNKNOWN: [
    MISSPELT,
    "Use the key the message suggests, or take it out. The `#:schema` line lets editors complete keys.",
  ],
  HARN_E_MANIFEST_READ: [
    "There is no `harn.toml`, or it is a directory, too large, not UTF-8, or not readable.",
    "Run `harn init`, or name the manifest with `--manifest`.",
  ],
  HARN_E_MODEL: [
    "A provider, or a hook on PreCompletion or PostCompletion, returned something else than a request or an answer.",
    "Return the shape of the model interface in docs/session.md.",
  ],
  HARN_E_MODIFY: [
    "A hook rewrote a part that its event does not let it, or into something that does not fit.",
    "Rewrite the one path the event lets a hook rewrite: docs/events.md.",
  ],
  HARN_E_MODULE_LOAD: [
    "The module throws while it is loaded, or imports something that is not installed.",
    "Correct the file the message names; `node FILE` shows the whole error.",
  ],
  HARN_E_MODULE_NOT_FOUND: [
    "The package is not installed, or the module is not in `[exports]`.",
    "Install it with `harn add`, or name the file in `[exports]`.",
  ],
  HARN_E_MODULE_OUTSIDE: [
    "A path climbs out of the project or package, or follows a link out of it.",
    "Keep the modules of a policy inside of it.",
  ],
  HARN_E_NAME_DUPLICATE: [
    "Two Markdown hooks have the same file name or `handler`.",
    "Rename one: hooks are never overridden.",
  ],
  HARN_E_NOT_A_HOOK: [
    "The package is another one than you meant, or a library.",
    "Check its name. A hook package describes itself in the `harn` field of its package.json.",
  ],
  HARN_E_NOT_DECLARED: ["The name is misspelt, or was taken out already.", "`harn list` shows what is bound."],
  HARN_E_OPTIONS: [
    "An option is misspelt, missing or of the wrong type.",
    "The README of the package and its options schema have them all.",
  ],
  HARN_E_PACKAGE_INVALID: [
    "The `harn` field, package.json or the options schema of a package is broken.",
    "Reinstall it, or ask its authors.",
  ],
  HARN_E_PACK_CONFLICT: [
    "Two packs ask for versions of one package that no single version satisfies.",
    "Update the pack that asks for the older one.",
  ],
  HARN_E_PACK_CYCLE: ["A pack extends itself, by way of others.", "Take one of the `extends` out."],
  HARN_E_PACK_DUPLICATE: ["The same pack is named twice.", "Take one of them out."],
  HARN_E_PACK_NOT_FOUND: [
    "The pack is not installed where it is named, or has no `harn.toml`.",
    "Install it with `harn add`, or correct its name.",
  ],
  HARN_E_PATTERN: [
    "The glob or expression is malformed, or nothing the event has could match it.",
    "docs/manifest.md#patterns has every form; docs/events.md has the subject of each event.",
  ],
  HARN_E_PAYLOAD: [
    "The host fired an event with a key missing, unknown or of the wrong type.",
    "docs/events.md has the payload of each event.",
  ],
  HARN_E_PAYLOAD_JSON: [
    "A payload holds a function, a date, a circle or a number that JSON does not have.",
    "Send plain JSON.",
  ],
  HARN_E_PAYLOAD_LIMIT: [
    "A payload is deeper or larger than a policy can be asked to judge.",
    "Send a part of it, or raise the limits of the harness.",
  ],
  HARN_E_REFUSED: [
    "A hook on `meta.tool_register` or `meta.hook_register` said no.",
    "Read its reason; what is registered at run time is under the policy as well.",
  ],
  HARN_E_REMINDER: ["A reminder has a key nobody reads, or no body.", "docs/session.md#reminders has the keys."],
  HARN_E_SESSION: [
    "A session is used before `start`, after `end`, or by two loops at once.",
    "One loop for each session: start it, use it, end it.",
  ],
  HARN_E_SOURCE_READ: [
    "A directory or file of `[sources]` is missing or not readable.",
    "Correct the path; it counts from the directory of harn.toml.",
  ],
  HARN_E_STARLARK: [
    "A script or a `when` has a mistake of syntax or names something that is not there.",
    "The message has line and column; docs/markdown-hooks.md has the built-ins.",
  ],
  HARN_E_TAPE: [
    "The sink of the tape threw.",
    "Read the error behind it. A dispatch whose tape fails is not taken for one that passed.",
  ],
  HARN_E_TAPE_BROKEN: [
    "A byte was changed, a record is missing, or the file is another one.",
    "Keep it as it is: `harn tape verify` names the record. Record the next session on a new tape.",
  ],
  HARN_E_TAPE_BUSY: ["Another process has the tape open.", "Wait for it, or record on a tape of its own."],
  HARN_E_TAPE_CLOSED: ["Something was recorded after the end of the session.", "Open a tape for each session."],
  HARN_E_TAPE_MASK: [
    "A path or an expression of the mask is malformed or matches the empty text.",
    "Write paths as `tool.args.*.token` and expressions that match something.",
  ],
  HARN_E_TAPE_OPEN: [
    "The file exists already, or its directory cannot be made, is a link, or is open to others.",
    "Name another file, or a directory that is yours alone.",
  ],
  HARN_E_TAPE_READ: ["The file is missing, empty, no tape, or not readable.", "Name a tape: they end in `.jsonl`."],
  HARN_E_TAPE_WRITE: [
    "The disk is full or went away.",
    "Make room and open a new tape; nothing acknowledged before was lost.",
  ],
  HARN_E_TEST_FILE: [
    "There is no `*.harn-test.toml`, or a case has a key nobody reads or expects nothing.",
    "`harn test --help` shows what is in a case.",
  ],
  HARN_E_TOML: ["A quote, a bracket or an equals sign is missing.", "Correct the place the message points at."],
  HARN_E_USAGE: [MISSPELT, "`harn --help` has the verbs, `harn VERB --help` its flags and two examples."],
  HARN_E_VERIFIER: ["The function given as `verify` threw.", "Let it answer with what is wrong instead of throwing."],
  HARN_E_VERIFY_FAILED: [
    "A subagent's answer was refused as often as it may be.",
    "Read the reasons on the tape; give it more attempts, or a clearer task.",
  ],
  HARN_E_VERSION: [
    "What is installed is older or newer than `[dependencies]` or `[package] harn` allows.",
    "Install a version in the range, or change the range.",
  ],
  HARN_E_WHEN: [
    "A condition reads a key that is not there, or the host has no language for conditions.",
    'Use `payload["tool"]["args"].get("command", "")` for what may be missing.',
  ],
  HARN_E_YAML: ["An indentation or a quote of the frontmatter is wrong.", "Correct the place the message points at."],
  HARN_W_DEAD: [
    "A condition can never hold, or an export or package is left over.",
    "Take it out, or write a condition that can hold.",
  ],
  HARN_W_DUPLICATE: ["An entry was copied and not changed.", "Take one of the two out."],
  HARN_W_HEADER: [
    "A script was bound differently from what its first lines say, or its first lines are out of date.",
    "Correct one of the two.",
  ],
  HARN_W_KEY_UNKNOWN: [MISSPELT, "Use the key the message suggests; `[policy] strict` makes this an error."],
  HARN_W_NOT_LOADED: [
    "A file or a block looks like a hook and is none.",
    "Move it where hooks are looked for, or give it another name.",
  ],
  HARN_W_NOT_RUNNABLE: [
    "The program of an executable hook is not there on this machine, or not executable.",
    "Install it, or correct `command`.",
  ],
  HARN_W_NO_EFFECT: ["A setting does not apply to this kind of hook.", "Take it out."],
  HARN_W_NO_HANDLE: ["The script does not define `handle(event, payload)`.", "Name the function `handle`."],
  HARN_W_NO_SCRIPT: ["A Markdown hook has no `script`.", "Write one, or remove the file: as it is, it guards nothing."],
  HARN_W_PRIORITY_MISSING: [
    "Several hooks answer one event, and the order of this one is left to chance.",
    "Give it a priority: 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 the policy's own protection, 40 and up shaping.",
  ],
  HARN_W_SHADOWED: ["An earlier hook does the same for more subjects.", "Take this one out, or give it other options."],
  HARN_W_UNIT: [
    "Milliseconds were written where seconds are read, or the other way round.",
    "Write the duration the message shows.",
  ],
  HARN_W_VETO_ADVISORY: [
    "A guard is bound to an event that only informs.",
    "Bind it to a gate: `harn list --events` shows which are.",
  ],
};

/** The remedy of a code; undefined where nobody wrote one yet. */
export function remedyOf(code: string): Remedy | undefined {
  const row = Object.hasOwn(ROWS, code) ? ROWS[code] : undefined;
  return row && { cause: row[0], remedy: row[1] };
}
