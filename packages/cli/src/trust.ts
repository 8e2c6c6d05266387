import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Content, readContent, TrustStore } from "@hooks/manifest";
import { stateDirectory } from "@hooks/tape";
import type { Host } from "./terminal.js";

type Asked = Pick<Host, "cwd" | "env">;

/** The contents a person trusted on this machine, outside of every workspace. */
export function trustStore(env: Host["env"]): TrustStore {
  return new TrustStore(join(homeOf(env), "trust"));
}

/** Where the hashes of the packages of a place are remembered. */
export function hashCacheOf({ cwd, env }: Asked): string {
  return join(homeOf(env), "hashes", createHash("sha256").update(cwd).digest("hex"));
}

function homeOf(env: Host["env"]): string {
  return stateDirectory(process.platform, env as NodeJS.ProcessEnv, env.HOME || homedir());
}

/** Whether a content may run: a person trusted it, or HARN_TRUST names it. */
export function trustedBy(env: Host["env"]): (digest: string) => boolean {
  return (digest) => env.HARN_TRUST === digest || trustStore(env).has(digest);
}

/** Whether the policy of a directory may run as it is. */
export async function isTrusted({ cwd, env }: Asked, manifest: string | undefined): Promise<boolean> {
  const { content } = await readContent({ cwd, ...(manifest === undefined ? {} : { manifest }) });
  return trustedBy(env)(content.digest);
}

/** Trusts the policy of a directory as it is: for a person who said so, and for commands that wrote it themselves. */
export async function trustPolicy({ cwd, env }: Asked, manifest?: string): Promise<Content> {
  const { root, content } = await readContent({ cwd, ...(manifest === undefined ? {} : { manifest }) });
  trustStore(env).add(content, root ?? cwd, new Date());
  return content;
}
