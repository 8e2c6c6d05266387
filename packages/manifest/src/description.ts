import { ANY_EVENT, rowOf } from "@hooks/core";
import * as z from "zod/mini";

/** The hook API of this runtime: what a handler is called with, and what it may answer. */
export const API_VERSION = "1.0.0";

/** What a hook in a worker may do beyond computing, when its package declares it. */
const CAPABILITIES = ["fs:read", "fs:write", "net", "child_process"] as const;

const event = z
  .string()
  .check(z.refine((name) => rowOf(name) !== undefined || ["custom.*", "meta.*", ANY_EVENT].includes(name)));

const descriptionSchema = z.strictObject({
  api: z.union([z.number(), z.string()]),
  hooks: z.record(
    z.string(),
    z.strictObject({
      events: z.array(event).check(z.minLength(1)),
      description: z.optional(z.string()),
      observes: z.optional(z.boolean()),
      priority: z.optional(z.number().check(z.int())),
      capabilities: z.optional(z.array(z.enum(CAPABILITIES))),
      options: z.optional(z.string()),
    }),
  ),
});

/** What a hook package says of itself in the `harn` field of its package.json. */
export type Description = z.infer<typeof descriptionSchema>;

/** Reads a package's self-description: undefined when it has none, a text that says what is wrong when it is broken. */
export function readDescription(field: unknown): Description | undefined | string {
  if (field === undefined) return undefined;
  const parsed = z.safeParse(descriptionSchema, field);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = ["harn", ...(issue?.path ?? [])].join(".");
  if (issue?.code === "invalid_value") return `${path} must be one of ${issue.values.join(", ")}`;
  return issue?.code === "unrecognized_keys" ? `unknown key "${issue.keys[0]}" in ${path}` : `${path} is not valid`;
}
