import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { GROUPS } from "./rule.js";
import { rules } from "./rules.js";

const MODES = ["block", "ask", "warn"];
const directory = { type: "string", pattern: "^(/|[A-Za-z]:[\\\\/])" };
const command = { type: "string", minLength: 1, maxLength: 500, pattern: "\\S" };
const text = { type: "string", minLength: 1, maxLength: 500 };

function keys(names: readonly string[], value: (name: string) => object) {
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, value(name)])),
  };
}

const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Options of @hooks/command-guard::guard",
  type: "object",
  additionalProperties: false,
  properties: {
    strict: {
      type: "boolean",
      default: false,
      description: "Blocks where it would ask: rules of medium severity, and commands that cannot be followed.",
    },
    indeterminate: {
      enum: MODES,
      default: "ask",
      description: "What happens to a command that cannot be parsed, is too large, too deep, or decided at run time.",
    },
    groups: {
      ...keys(Object.keys(GROUPS), (name) => ({
        enum: ["on", "off", ...MODES],
        default: GROUPS[name as keyof typeof GROUPS] ? "on" : "off",
        description: `Rules: ${rules
          .filter(({ group }) => group === name)
          .map(({ id }) => id)
          .join(", ")}.`,
      })),
      description: "Switches groups of rules on and off, or gives all rules of a group one mode.",
    },
    rules: {
      ...keys(
        rules.filter(({ severity }) => severity !== "catastrophic").map(({ id }) => id),
        (name) => ({
          enum: ["off", ...MODES],
          description: rules.find(({ id }) => id === name)?.explanation,
        }),
      ),
      description: "What happens when a rule hits. Catastrophic rules are not listed: they always block.",
    },
    deny: {
      type: "array",
      items: command,
      default: [],
      description: "Commands that are blocked, by their words in order: `shutdown`, `terraform apply`, `npm publish`.",
    },
    allow: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["command", "reason", "expires"],
        properties: {
          command: {
            ...command,
            description: "The command word for word; `*` is a part of a word, a last `**` any further words.",
          },
          reason: { ...text, description: "Why it may run." },
          expires: {
            type: "string",
            pattern: "^\\d{4}-\\d{2}-\\d{2}$",
            description: "The last day it may: `2027-01-31`.",
          },
        },
      },
      default: [],
      description: "Commands that may run although a rule hits. Catastrophic rules and the deny list stay.",
    },
    own_rules: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "command", "explanation", "instead"],
        properties: {
          id: {
            type: "string",
            pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
            not: { enum: rules.map(({ id }) => id) },
            description: "A name no rule of the guard has.",
          },
          command: {
            ...command,
            description: "The words of the command in order, with `*` and `|`: `kubectl|oc delete`.",
          },
          unless: {
            type: "array",
            items: command,
            default: [],
            description: "Words with which it is harmless: `--dry-run*`.",
          },
          explanation: { ...text, description: "Why it is dangerous." },
          instead: { ...text, description: "What to do instead." },
          mode: { enum: MODES, default: "block", description: "What happens when it hits." },
        },
      },
      default: [],
      description: "Rules of one's own.",
    },
    workspace_dirs: {
      type: "array",
      items: directory,
      default: [],
      description: "Directories the agent works in; the session's working directory when there are none.",
    },
    temp_dirs: {
      type: "array",
      items: directory,
      default: [],
      description: "Directories for temporary files, besides /tmp and its like.",
    },
    build_dirs: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 200, pattern: "^[^/*]+$" },
      default: [],
      description: "Names of directories that are made again, besides node_modules, dist, target and their like.",
    },
    home: { ...directory, description: "The home directory, where it is not below /home or /Users." },
    variables: {
      type: "object",
      additionalProperties: { type: "string", maxLength: 4096 },
      default: {},
      description: 'Variables of the environment whose values are certain: `{ BUILD_DIR = "/work/out" }`.',
    },
    tools: {
      type: "object",
      additionalProperties: {
        anyOf: [
          { const: false },
          {
            type: "object",
            additionalProperties: false,
            required: ["dialect"],
            properties: {
              dialect: { enum: ["posix", "powershell", "cmd"], description: "How the text is read." },
              argument: { ...text, description: "The argument that holds the command." },
            },
          },
        ],
      },
      default: {},
      description: "Further tools that run commands, by name; `false` for one that does not.",
    },
  },
};

test("the schema knows every group and every rule that can be set", async () => {
  const file = fileURLToPath(new URL("../options.schema.json", import.meta.url));
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(file);
});
