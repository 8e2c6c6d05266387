import { type EventName, type Payload, specOf } from "./events.js";
import { type Json, type JsonObject, jsonEqual } from "./json.js";
import { compilePattern, type Pattern } from "./pattern.js";
import type { Stage } from "./stage.js";

type ToolRef = Payload<"PreToolUse">["tool"];

/** What a person, or whoever stands in for one, answers. */
export type PermissionReply =
  | boolean
  | {
      readonly decision: "allow" | "deny";
      readonly reason?: string;
      /** Who answered. */
      readonly by?: string;
      /** Holds for the same call, with the same arguments, until the session ends. */
      readonly remember?: boolean;
    };

/** A question to a person. */
export interface PermissionQuestion {
  readonly tool: ToolRef;
  readonly reason: string;
  readonly mode: string | undefined;
}

/** Which tool calls need nobody's leave, which have none, and who is asked about the rest. */
export interface PermissionPolicy {
  /** The name of the mode the agent is in, for hooks. */
  readonly mode?: string;
  /** Patterns as hooks have them on PreToolUse; looked at first. */
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
  /** What happens to a call no rule is about; `ask` when absent. */
  readonly otherwise?: "allow" | "ask" | "deny";
  /** Asks. Where it is absent nobody can be asked, and that is a no. */
  readonly ask?: (
    question: PermissionQuestion,
    options: { readonly signal: AbortSignal },
  ) => PermissionReply | Promise<PermissionReply>;
}

/** How a permission question ended. */
export interface PermissionDecided {
  readonly decision: "allow" | "deny";
  readonly reason: string;
  readonly by: string;
}

/** Decides on tool calls; what is remembered holds for every one that comes after it. */
export interface Permissions {
  /** Decides on one call; `asked` is the reason of a hook that wants it to be asked. */
  decide(stage: Stage, tool: ToolRef, asked: string | undefined): Promise<PermissionDecided>;
}

const PRE_TOOL_USE: EventName = "PreToolUse";

/** Compiles a policy; without one every call is allowed that no hook asks about. */
export function compilePermissions(policy: PermissionPolicy | undefined): Permissions {
  const { mode, ask, otherwise = policy === undefined ? "allow" : "ask" } = policy ?? {};
  const denied = compileRules(policy?.deny);
  const allowed = compileRules(policy?.allow);
  const grants: ToolRef[] = [];

  /** What the rules say; undefined where they leave it to somebody else. */
  function byRules(tool: ToolRef, asked: string | undefined): PermissionDecided | undefined {
    const deny = firstMatch(denied, tool);
    if (deny !== undefined) return decided("deny", `the rule ${JSON.stringify(deny)} denies it`, "rule");
    if (grants.some((grant) => isSameCall(grant, tool))) {
      return decided("allow", "this call was allowed for the session", "grant");
    }
    // A rule that allows grants nothing against a hook that wants a person to decide.
    if (asked !== undefined) return undefined;
    const allow = firstMatch(allowed, tool);
    if (allow !== undefined) return decided("allow", `the rule ${JSON.stringify(allow)} allows it`, "rule");
    return otherwise === "ask" ? undefined : decided(otherwise, "no rule is about it", "default");
  }

  async function escalate(stage: Stage, tool: ToolRef, reason: string): Promise<PermissionDecided> {
    const question = { tool, reason, mode };
    const outcome = await stage.fire("PermissionAsked", question);
    const by = outcome.by ?? "hook";
    if (outcome.decision === "allow") return decided("allow", outcome.reason ?? reason, by);
    if (outcome.decision === "deny" || outcome.verdict === "block") {
      return decided("deny", outcome.reason ?? reason, by);
    }
    if (ask === undefined) return decided("deny", `${reason}; nobody can be asked`, "nobody");
    const reply = await stage.await("PermissionAsked", "ask", () => ask(question, { signal: stage.signal }));
    if (typeof reply === "boolean") return decided(reply ? "allow" : "deny", reason, "ask");
    const decision = reply.decision === "allow" ? "allow" : "deny";
    if (decision === "allow" && reply.remember === true) grants.push(tool);
    return decided(decision, reply.reason ?? reason, reply.by ?? "ask");
  }

  return {
    async decide(stage, tool, asked) {
      const ruled = byRules(tool, asked);
      const settled = ruled ?? (await escalate(stage, tool, asked ?? "no rule is about it"));
      // Without a policy, and with nobody asked, nothing was decided that could be told.
      if (policy === undefined && settled.by === "default") return settled;
      await stage.fire("PermissionReplied", { tool, ...settled });
      if (settled.decision === "deny") await stage.fire("PermissionDenied", { tool, reason: settled.reason });
      return settled;
    },
  };
}

function decided(decision: "allow" | "deny", reason: string, by: string): PermissionDecided {
  return { decision, reason, by };
}

function compileRules(patterns: readonly string[] = []): readonly Pattern[] {
  return patterns.map((pattern) => compilePattern(pattern, PRE_TOOL_USE, specOf(PRE_TOOL_USE)));
}

function firstMatch(rules: readonly Pattern[], tool: ToolRef): string | undefined {
  const payload = { tool } as unknown as JsonObject;
  const rule = rules.find((one) => (one.subject?.(tool.name) ?? true) && (one.payload?.(payload) ?? true));
  return rule?.source;
}

function isSameCall(a: ToolRef, b: ToolRef): boolean {
  return a.name === b.name && jsonEqual(a.args as Json, b.args as Json);
}
