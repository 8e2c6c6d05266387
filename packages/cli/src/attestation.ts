import { bundleFromJSON, isBundleWithDsseEnvelope } from "@sigstore/bundle";
import type { TrustedRoot } from "@sigstore/protobuf-specs";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";

/** What an attestation says, once its signature holds. */
export interface Attested {
  /** Who signed: the workflow that built it, by the address its certificate was issued for. */
  readonly by: string;
}

/** The archive an attestation must be about. */
export interface Archive {
  readonly name: string;
  readonly version: string;
  /** As registries give it: `sha512-` and base64. */
  readonly integrity: string;
}

interface Statement {
  readonly predicateType?: unknown;
  readonly subject?: readonly { readonly name?: unknown; readonly digest?: Readonly<Record<string, unknown>> }[];
}

const PROVENANCE = /^https:\/\/slsa\.dev\/provenance\//;

/** Verifies a bundle with sigstore's own library, and that what it vouches for is this very archive. Throws otherwise. */
export function verifyAttestation(bundle: unknown, archive: Archive, root: TrustedRoot): Attested {
  const parsed = bundleFromJSON(bundle);
  // One certificate of the authority, in the log of certificates, and one entry in the log of signatures.
  const verifier = new Verifier(toTrustMaterial(root), { ctlogThreshold: 1, tlogThreshold: 1 });
  const { identity } = verifier.verify(toSignedEntity(parsed));
  if (!isBundleWithDsseEnvelope(parsed)) throw new Error("it vouches for no statement");
  const statement = JSON.parse(parsed.content.dsseEnvelope.payload.toString("utf8")) as Statement;
  if (!PROVENANCE.test(String(statement.predicateType))) throw new Error("it says nothing of where it was built");
  if (!isAbout(statement, archive)) throw new Error("it vouches for another archive");
  return { by: identity?.subjectAlternativeName ?? "nobody" };
}

function isAbout({ subject = [] }: Statement, { name, version, integrity }: Archive): boolean {
  const hash = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return /^sha512-/.test(integrity) && subject.some((one) => one.name === purl && one.digest?.sha512 === hash);
}
