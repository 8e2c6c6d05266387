import { block, type HookContext, type HookReturn, type Payload } from "@hooks/core";

export function guard({ tool }: Payload<"PreToolUse">, { hook }: HookContext): HookReturn<"PreToolUse"> {
  return block(`${hook.id} refuses ${tool.name}`);
}
