import { createHash } from "node:crypto";
import { messageOf } from "@hooks/core";
import { type LockedPackage, type Problem, supplyProblem } from "@hooks/manifest";
import type { TrustedRoot } from "@sigstore/protobuf-specs";
import { hashArchive } from "./archive.js";
import { verifyAttestation } from "./attestation.js";
import { registryFor } from "./registry.js";
import type { Host } from "./terminal.js";

export interface Verified {
  /** The packages, each of those that must prove where it was built with whether it did. */
  readonly packages: readonly LockedPackage[];
  readonly problems: readonly Problem[];
}

export interface Ports {
  readonly cwd: string;
  readonly env: Host["env"];
  /** The keys everything is held against; sigstore's own, fetched and verified, when absent. */
  readonly root?: () => Promise<TrustedRoot>;
}

/**
 * Asks registries for the provenance of packages that must have one, and verifies it. What cannot be verified, because a
 * registry has none or cannot be reached, is a problem and never passed over.
 */
export async function verifyProvenance(packages: readonly LockedPackage[], ports: Ports): Promise<Verified> {
  const problems: Problem[] = [];
  const verified: LockedPackage[] = [];
  for (const entry of packages) {
    // Where no policy asks, the lock says nothing of it.
    if (entry.provenance === undefined) {
      verified.push(entry);
      continue;
    }
    try {
      await verifyOne(entry, ports);
      verified.push({ ...entry, provenance: true });
    } catch (error) {
      verified.push({ ...entry, provenance: false });
      const message = `${entry.name} ${entry.version} must prove where it was built: ${messageOf(error)}`;
      problems.push({ ...supplyProblem("HARN_E_PROVENANCE", message), help: HELP });
    }
  }
  return { packages: verified, problems };
}

const HELP = "publish it from CI with harn publish --provenance, or use a version that was";

interface Dist {
  readonly integrity?: string;
  readonly tarball?: string;
  readonly attestations?: { readonly url?: string };
}

/** From what is installed to the archive, from the archive to the attestation, from that to sigstore's root. */
async function verifyOne(
  { name, version, files }: LockedPackage,
  { cwd, env, root = publicRoot }: Ports,
): Promise<void> {
  const registry = await registryFor(name, cwd, env);
  const { versions = {} } = (await fetchJson(`${registry}${name.replace("/", "%2f")}`)) as {
    versions?: Record<string, { dist?: Dist }>;
  };
  const { integrity = "", tarball, attestations } = versions[version]?.dist ?? {};
  if (attestations?.url === undefined) throw new Error(`${registry} has no attestation of it`);
  if (tarball === undefined) throw new Error(`${registry} has no archive of it`);
  const archive = await fetchBytes(tarball);
  const hash = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (hash !== integrity) throw new Error("its archive is not the one its registry names");
  const packed = await hashArchive(archive);
  const other = [...files].find(([file, hash]) => packed.get(file) !== hash);
  if (other !== undefined) throw new Error(`${other[0]} is not what its archive has`);
  const answer = (await fetchJson(attestations.url)) as { attestations?: { predicateType: string; bundle: unknown }[] };
  const found = (answer.attestations ?? []).filter(({ predicateType }) =>
    predicateType.includes("slsa.dev/provenance"),
  );
  if (found.length === 0) throw new Error(`${registry} has attestations of it, and none of where it was built`);
  const trusted = await root();
  for (const { bundle } of found) verifyAttestation(bundle, { name, version, integrity }, trusted);
}

async function publicRoot(): Promise<TrustedRoot> {
  const { getTrustedRoot } = await import("@sigstore/tuf");
  return getTrustedRoot();
}

async function fetchJson(url: string): Promise<unknown> {
  return (await ask(url)).json();
}

async function fetchBytes(url: string): Promise<Buffer> {
  return Buffer.from(await (await ask(url)).arrayBuffer());
}

const PATIENCE_MS = 30_000;

async function ask(url: string): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    throw new Error(`${url} cannot be reached: ${messageOf((error as Error).cause ?? error)}`);
  }
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer;
}
