import type { Surroundings } from "./inside.js";
import { GROUPS, type Group, type Mode, type Rule } from "./rule.js";
import { rules } from "./rules.js";
import { hasShape, type Shape, shapeOf } from "./shape.js";
import { type Tool, toolsOf } from "./tools.js";

/** How a group is set: on and off, or on with one mode for all of its rules. */
export type GroupSetting = "on" | "off" | Mode;

export interface Allowance {
  /** The command word for word; `*` for a part of a word, a last `**` for any further words. */
  readonly command: string;
  readonly reason: string;
  /** The last day it holds, as `2027-01-31`. */
  readonly expires: string;
}

export interface OwnRule {
  readonly id: string;
  readonly command: string;
  readonly unless?: readonly string[];
  readonly explanation: string;
  readonly instead: string;
  readonly mode?: Mode;
}

/** The options of the hook, as `options.schema.json` describes them. */
export interface GuardOptions {
  readonly strict?: boolean;
  readonly indeterminate?: Mode;
  readonly groups?: Readonly<Partial<Record<Group, GroupSetting>>>;
  readonly rules?: Readonly<Record<string, Mode | "off">>;
  readonly deny?: readonly string[];
  readonly allow?: readonly Allowance[];
  readonly own_rules?: readonly OwnRule[];
  readonly workspace_dirs?: readonly string[];
  readonly temp_dirs?: readonly string[];
  readonly build_dirs?: readonly string[];
  readonly home?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly tools?: Readonly<Record<string, Tool | false>>;
}

/** A rule that is on, with what happens when it hits. */
export interface ActiveRule {
  readonly rule: Rule;
  readonly mode: Mode;
}

/** The options, compiled. */
export interface Settings {
  readonly indeterminate: Mode;
  /** Rules about every program, by what decides whether they are asked. */
  readonly anyProgram: readonly { readonly when: Rule["when"]; readonly rules: readonly ActiveRule[] }[];
  /** Rules that look at the whole. */
  readonly whole: readonly ActiveRule[];
  readonly byProgram: ReadonlyMap<string, readonly ActiveRule[]>;
  readonly deny: readonly { readonly text: string; readonly shape: Shape }[];
  readonly allow: readonly (Allowance & { readonly shape: Shape; readonly isOpenEnded: boolean })[];
  readonly surroundings: Surroundings;
  readonly variables: Readonly<Record<string, string>>;
  readonly tools: ReadonlyMap<string, Tool | false>;
}

const TEMPS = [
  "/tmp",
  "/var/tmp",
  "/private/tmp",
  "/private/var/tmp",
  "/var/folders",
  "/private/var/folders",
  "/dev/shm",
  "/data/local/tmp",
];
const BUILDS =
  "node_modules bower_components jspm_packages dist build out target coverage .nyc_output .next .nuxt .output .svelte-kit .angular .cache .parcel-cache .turbo .vite .rollup.cache .webpack .vercel .netlify .docusaurus .astro .expo .serverless .terraform .terragrunt-cache __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv env .eggs htmlcov .ipynb_checkpoints .gradle .kotlin obj deriveddata pods .dart_tool .build _build deps .stack-work dist-newstyle .cabal-sandbox .bundle tmp temp .tmp logs .sass-cache .eslintcache .stylelintcache .tsbuildinfo .tsbuild storybook-static playwright-report test-results cypress/videos cdk.out .aws-sam .pytype .hypothesis .benchmarks .zig-cache zig-out zig-cache .elixir_ls .lsp .clj-kondo .cpcache .bloop .metals .yarn-cache generated".split(
    " ",
  );

const compiled = new WeakMap<object, Settings>();
const bySource = new Map<string, Settings>();
const NONE: GuardOptions = {};

/** Compiles options once: known by what they are, and in a worker, where each call brings a copy, by what they say. */
export function settingsOf(options: unknown): Settings {
  const given = (options ?? NONE) as GuardOptions;
  const known = compiled.get(given);
  if (known !== undefined) return known;
  const source = JSON.stringify(given);
  const settings = bySource.get(source) ?? compile(given);
  compiled.set(given, settings);
  bySource.set(source, settings);
  return settings;
}

function compile(options: GuardOptions): Settings {
  const active = [...rules, ...(options.own_rules ?? []).map(ruleOf)].flatMap((rule): ActiveRule[] => {
    const mode = modeOf(rule, options);
    return mode === "off" ? [] : [{ rule, mode }];
  });
  const byProgram = new Map<string, ActiveRule[]>();
  for (const one of active) {
    for (const program of one.rule.programs ?? []) byProgram.set(program, [...(byProgram.get(program) ?? []), one]);
  }
  return {
    indeterminate: options.strict ? "block" : (options.indeterminate ?? "ask"),
    anyProgram: byCondition(active.filter(({ rule }) => rule.programs === undefined)),
    whole: active.filter(({ rule }) => rule.whole !== undefined),
    byProgram,
    deny: (options.deny ?? []).map((text) => ({ text, shape: shapeOf(text) })),
    allow: (options.allow ?? []).map((entry) => {
      const isOpenEnded = /\s\*\*\s*$/.test(entry.command);
      return {
        ...entry,
        isOpenEnded,
        shape: shapeOf(isOpenEnded ? entry.command.replace(/\s\*\*\s*$/, "") : entry.command),
      };
    }),
    surroundings: {
      workspaces: options.workspace_dirs ?? [],
      temps: [...TEMPS, ...(options.temp_dirs ?? [])],
      builds: new Set([...BUILDS, ...(options.build_dirs ?? []).map((name) => name.toLowerCase())]),
      homes: options.home === undefined ? [] : [options.home],
    },
    variables: options.variables ?? {},
    tools: toolsOf(options.tools ?? {}),
  };
}

function byCondition(active: readonly ActiveRule[]): Settings["anyProgram"] {
  const conditions = new Set(active.map(({ rule }) => rule.when));
  return [...conditions].map((when) => ({ when, rules: active.filter(({ rule }) => rule.when === when) }));
}

function modeOf(
  { id, group, severity }: Rule,
  { strict, groups, rules: modes, own_rules }: GuardOptions,
): Mode | "off" {
  if (severity === "catastrophic") return "block";
  const own = own_rules?.find((rule) => rule.id === id);
  const set = modes?.[id];
  if (set !== undefined) return set;
  const normal: Mode = own?.mode ?? (severity === "medium" && !strict ? "ask" : "block");
  if (own !== undefined) return normal;
  const setting = groups?.[group] ?? (GROUPS[group] ? "on" : "off");
  return setting === "on" ? normal : setting;
}

/** A rule of an organisation's own, from the options. */
function ruleOf({ id, command, unless = [], explanation, instead }: OwnRule): Rule {
  const shape = shapeOf(command);
  const exceptions = unless.map((word) => shapeOf(`* ${word}`));
  return {
    id,
    group: "workspace",
    severity: "high",
    explanation,
    instead,
    alternatives: [],
    references: [],
    hits: [],
    misses: [],
    test: (one) => (hasShape(one, shape) && !exceptions.some((exception) => hasShape(one, exception)) ? command : null),
  };
}
