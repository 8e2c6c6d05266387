import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { formatLock, loadHarness, makeLock } from "@hooks/manifest";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { verifyProvenance } from "../../packages/cli/src/provenance.js";
import { packInstalled } from "../packed/tarball.js";
import { type Authority, createAuthority } from "./attest.js";

const NAME = "@acme/policy-pack";
const FILES: Readonly<Record<string, string>> = {
  "package.json": `{"name":"${NAME}","version":"1.0.0","type":"module"}`,
  "harn.toml": '[exports]\nr = "r.js"\n\n[[hooks]]\nid = "guard"\nevent = "PreToolUse"\nhandler = "r::guard"\n',
  "r.js": "export const guard = () => ({ block: true, reason: 'no' });\n",
};

let authority: Authority;
let stranger: Authority;
let server: Server;
let root: string;
let url: string;
/** What the registry answers, by path. */
const answers = new Map<string, Buffer | object>();

beforeAll(async () => {
  [authority, stranger] = await Promise.all([createAuthority(), createAuthority()]);
  server = createServer(({ url: path = "" }, response) => {
    const answer = answers.get(decodeURIComponent(path));
    if (answer === undefined) return void response.writeHead(404).end("{}");
    response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  root = realpathSync(mkdtempSync(join(tmpdir(), "harn-provenance-")));
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const at = (file: string) => join("node_modules", NAME, file);
let archive: Buffer;

const integrityOf = (bytes: Buffer) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

function statement(bytes: Buffer, more: object = {}): object {
  const subject = {
    name: "pkg:npm/%40acme/policy-pack@1.0.0",
    digest: { sha512: createHash("sha512").update(bytes).digest("hex") },
  };
  return {
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://slsa.dev/provenance/v1",
    subject: [subject],
    predicate: {},
    ...more,
  };
}

async function offer(bundle: object | null, integrity = integrityOf(archive)): Promise<void> {
  const attestations = bundle === null ? {} : { attestations: { url: `${url}attestations` } };
  const dist = { tarball: `${url}archive.tgz`, integrity, ...attestations };
  answers.set(`/${NAME}`, { name: NAME, versions: { "1.0.0": { dist } } });
  answers.set("/archive.tgz", archive);
  answers.set("/attestations", {
    attestations: [{ predicateType: "https://slsa.dev/provenance/v1", bundle }],
  });
}

beforeEach(() => {
  answers.clear();
  rmSync(root, { recursive: true });
  write(".git/HEAD", "");
  write("package.json", "{}");
  write("harn.toml", `extends = ["${NAME}"]\n\n[policy]\nrequire_provenance = ["@acme/*"]\n`);
  for (const [file, text] of Object.entries(FILES)) write(at(file), text);
  archive = packInstalled(join(root, at(""))).bytes;
});

/** Verifies, writes the lock, loads: what is wrong on the way, and how the load ended. */
async function walk(): Promise<{ problems: string[]; load: string }> {
  const { packages } = await makeLock({ cwd: root, managed: [] });
  const env = { ...process.env, npm_config_registry: url, "npm_config_@acme:registry": url };
  const verified = await verifyProvenance(packages, { cwd: root, env, root: async () => authority.root });
  write("harn.lock", formatLock(verified.packages));
  const loaded = await loadHarness({ cwd: root, managed: [], harness: { ports: { warn: () => {} } } });
  if (loaded.ok) loaded.harness.close();
  return { problems: verified.problems.map(({ message }) => message), load: loaded.ok ? "" : loaded.message };
}

test("what is attested, down to the bytes that are installed, is locked as verified and loads", async () => {
  await offer(await authority.attest(statement(archive)));
  expect(await walk()).toEqual({ problems: [], load: "" });
});

test("without a lock it does not load", async () => {
  const loaded = await loadHarness({ cwd: root, managed: [] });
  expect(loaded.ok ? "" : loaded.message).toContain(`${NAME} 1.0.0 must prove where it was built: it is not locked`);
});

test.each<[string, string, () => Promise<void>]>([
  ["a registry that has none", "has no attestation of it", () => offer(null)],
  ["a registry that is not there", "answers 404", async () => {}],
  ["another authority", "must prove where it was built", async () => offer(await stranger.attest(statement(archive)))],
  [
    "another archive",
    "vouches for another archive",
    async () => offer(await authority.attest(statement(Buffer.from("other")))),
  ],
  [
    "another package",
    "vouches for another archive",
    async () => offer(await authority.attest(statement(archive, { subject: [{ name: "pkg:npm/other@1.0.0" }] }))),
  ],
  [
    "something else than where it was built",
    "says nothing of where it was built",
    async () => offer(await authority.attest(statement(archive, { predicateType: "https://example.com/mood/v1" }))),
  ],
  [
    "an edited statement",
    "must prove where it was built",
    async () => {
      const bundle = (await authority.attest(statement(Buffer.from("other")))) as { dsseEnvelope: object };
      const payload = Buffer.from(JSON.stringify(statement(archive))).toString("base64");
      await offer({ ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload } });
    },
  ],
  [
    "an archive that is not what its registry names",
    "not the one its registry names",
    async () => offer(await authority.attest(statement(archive)), integrityOf(Buffer.from("other"))),
  ],
  [
    "installed files that are not those of the archive",
    "r.js is not what its archive has",
    async () => {
      await offer(await authority.attest(statement(archive)));
      write(at("r.js"), "export const guard = () => undefined;\n");
    },
  ],
  ["nonsense for a bundle", "must prove where it was built", () => offer({ nonsense: true })],
])("%s is refused, on the lock and at every load", async (_, message, prepare) => {
  await prepare();
  const { problems, load } = await walk();
  expect(problems.join("\n")).toContain(message);
  expect(load).toContain("harn.lock does not say that it was verified");
});
