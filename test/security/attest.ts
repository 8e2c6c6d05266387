import { createHash, generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import { initializeCA, initializeTLog } from "@sigstore/mock";
import { TrustedRoot } from "@sigstore/protobuf-specs";

/** An authority, its logs, and the root that names their keys: sigstore as it is, but for who runs it. */
export interface Authority {
  readonly root: TrustedRoot;
  /** A bundle in which a workflow vouches for a statement. */
  attest(statement: object): Promise<object>;
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const der = (key: ReturnType<typeof newKeys>["publicKey"]) => key.export({ format: "der", type: "spki" });
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

export async function createAuthority(): Promise<Authority> {
  const ctKeys = newKeys();
  const logKeys = newKeys();
  const ctLog = certificateLog(ctKeys);
  const ca = await initializeCA(newKeys(), ctLog);
  const log = await initializeTLog("https://rekor.sigstore.dev", logKeys);
  const validFor = { start: "2020-01-01T00:00:00Z" };
  const publicKey = (bytes: Uint8Array) => ({
    rawBytes: base64(bytes),
    keyDetails: "PKIX_ECDSA_P256_SHA_256",
    validFor,
  });
  const root = TrustedRoot.fromJSON({
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [
      {
        baseUrl: "https://rekor.sigstore.dev",
        hashAlgorithm: "SHA2_256",
        publicKey: publicKey(log.publicKey),
        logId: { keyId: base64(sha256(log.publicKey)) },
      },
    ],
    certificateAuthorities: [
      {
        subject: { organization: "sigstore.mock", commonName: "sigstore" },
        uri: "https://fulcio.sigstore.dev",
        certChain: { certificates: [{ rawBytes: base64(ca.rootCertificate) }] },
        validFor,
      },
    ],
    ctlogs: [
      {
        baseUrl: "https://ctfe.sigstore.dev",
        hashAlgorithm: "SHA2_256",
        publicKey: publicKey(ctLog.publicKey),
        logId: { keyId: base64(ctLog.logID) },
      },
    ],
    timestampAuthorities: [],
  });

  async function attest(statement: object): Promise<object> {
    const leaf = newKeys();
    const certificate = await ca.issueCertificate({
      publicKey: der(leaf.publicKey),
      subjectAltName: "https://github.com/acme/policy-pack/.github/workflows/publish.yml@refs/heads/main",
    });
    const payloadType = "application/vnd.in-toto+json";
    const payload = Buffer.from(JSON.stringify(statement));
    const encoded = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
    const sig = sign("sha256", Buffer.concat([encoded, payload]), leaf.privateKey);
    const verifier = base64(Buffer.from(new X509Certificate(certificate).toString()));
    const logged = await log.log({
      apiVersion: "0.0.1",
      kind: "dsse",
      spec: {
        envelopeHash: { algorithm: "sha256", value: sha256(Buffer.from("envelope")).toString("hex") },
        payloadHash: { algorithm: "sha256", value: sha256(payload).toString("hex") },
        signatures: [{ signature: base64(sig), verifier }],
      },
    });
    const [entry] = Object.values(logged) as [LogEntry];
    const { inclusionProof, signedEntryTimestamp } = entry.verification;
    const fromHex = (hex: string) => base64(Buffer.from(hex, "hex"));
    return {
      mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
      verificationMaterial: {
        certificate: { rawBytes: base64(certificate) },
        tlogEntries: [
          {
            logIndex: String(entry.logIndex),
            logId: { keyId: fromHex(entry.logID) },
            kindVersion: { kind: "dsse", version: "0.0.1" },
            integratedTime: String(entry.integratedTime),
            inclusionPromise: { signedEntryTimestamp },
            inclusionProof: {
              logIndex: String(inclusionProof.logIndex),
              rootHash: fromHex(inclusionProof.rootHash),
              treeSize: String(inclusionProof.treeSize),
              hashes: inclusionProof.hashes.map(fromHex),
              checkpoint: { envelope: inclusionProof.checkpoint },
            },
            canonicalizedBody: entry.body,
          },
        ],
      },
      dsseEnvelope: { payload: base64(payload), payloadType, signatures: [{ sig: base64(sig), keyid: "" }] },
    };
  }

  return { root, attest };
}

/** A log of certificates. What it signs is laid down in RFC 6962; the mock's own writes nothing with today's libraries. */
function certificateLog({ publicKey, privateKey }: ReturnType<typeof newKeys>) {
  const key = der(publicKey);
  const logID = sha256(key);
  async function log(certificate: ArrayBuffer, issuerID: ArrayBuffer): Promise<ArrayBuffer> {
    const time = number(Date.now(), 8);
    const body = toBeSigned(Buffer.from(certificate));
    const entry = [number(1, 2), Buffer.from(issuerID), number(body.length, 3), body];
    const none = number(0, 2);
    const signature = sign("sha256", Buffer.concat([number(0, 2), time, ...entry, none]), privateKey);
    const algorithm = Buffer.from([4, 3]);
    const parts = [number(0, 1), logID, time, none, algorithm, number(signature.length, 2), signature];
    const promise = Buffer.concat(parts);
    // The first in a list, of which the authority writes the length.
    return Uint8Array.from(Buffer.concat([number(promise.length, 2), promise])).buffer;
  }
  return { publicKey: key, logID, log };
}

function number(value: number, bytes: number): Buffer {
  const all = Buffer.alloc(8);
  all.writeBigUInt64BE(BigInt(value));
  return all.subarray(8 - bytes);
}

/** The first element of a certificate, whole: what its issuer signed. */
function toBeSigned(certificate: Buffer): Buffer {
  const [start] = contentOf(certificate, 0);
  const [from, length] = contentOf(certificate, start);
  return certificate.subarray(start, from + length);
}

/** Where the content of an element begins, and how long it is. */
function contentOf(bytes: Buffer, at: number): [start: number, length: number] {
  const first = bytes[at + 1] ?? 0;
  const more = first < 0x80 ? 0 : first & 0x7f;
  return [at + 2 + more, more === 0 ? first : bytes.readUIntBE(at + 2, more)];
}

interface LogEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logID: string;
  readonly logIndex: number;
  readonly verification: {
    readonly signedEntryTimestamp: string;
    readonly inclusionProof: {
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
      readonly hashes: readonly string[];
      readonly checkpoint: string;
    };
  };
}
