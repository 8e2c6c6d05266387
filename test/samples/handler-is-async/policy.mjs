import { setTimeout } from "node:timers/promises";

export async function guard() {
  await setTimeout(1);
  return { deny: "after a while" };
}
