import { join } from "node:path";
import { readContent, TrustStore } from "@hooks/manifest";

/** Trusts the policy of a directory as `harn trust` does, for a process with this environment. */
export async function trust(cwd: string, env: Readonly<Record<string, string | undefined>>, manifest?: string) {
  const { root, content } = await readContent({ cwd, managed: [], ...(manifest === undefined ? {} : { manifest }) });
  new TrustStore(join(stateOf(env), "harn", "trust")).add(content, root ?? cwd, new Date());
}

function stateOf({
  XDG_STATE_HOME,
  HOME = "",
  LOCALAPPDATA = "",
}: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32") return LOCALAPPDATA;
  if (process.platform === "darwin") return join(HOME, "Library", "Application Support");
  return XDG_STATE_HOME ?? join(HOME, ".local", "state");
}
