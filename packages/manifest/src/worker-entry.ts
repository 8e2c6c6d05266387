// What runs inside a hook worker: it confines itself as far as it can, then loads modules and answers calls.
import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import v8 from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "@hooks/core";
import { createImporter, functionNames, type Namespace, ownExport } from "./import.js";
import type { WorkerAnswer, WorkerBegun, WorkerOutput, WorkerRequest, WorkerSetup } from "./worker.js";

const MAX_OUTPUT = 64 * 1024;

const { root, mayUseNetwork } = workerData as WorkerSetup;
const port = parentPort;

limitOutput();
confine();
port?.on("message", (request: WorkerRequest) => void answer(request));

async function answer(request: WorkerRequest): Promise<void> {
  const { id } = request;
  if (request.isCrowded) port?.postMessage({ begun: id } satisfies WorkerBegun);
  try {
    const namespace = await load(request.file);
    if (request.kind === "load") return reply({ id, names: functionNames(namespace) });
    const { exportName, hook, options, project, session } = request;
    const handler = ownExport(namespace, exportName) as (view: unknown, context: object) => unknown;
    const context = { hook, options, project, session, signal: new AbortController().signal };
    reply({ id, value: await handler(freeze(request.view), context) });
  } catch (error) {
    reply({ id, error: messageOf(error) });
  }
}

const importModule = createImporter(root, false);
const loaded = new Map<string, Promise<Namespace>>();

function load(file: string): Promise<Namespace> {
  const known = loaded.get(file) ?? importModule(file);
  loaded.set(file, known);
  return known;
}

function reply(message: WorkerAnswer): void {
  try {
    port?.postMessage(message);
  } catch {
    port?.postMessage({ id: message.id, error: "returned something that cannot leave its worker" });
  }
}

/** Sends on what a hook prints, as far as anybody would read it: a flood must fill nobody's memory. */
function limitOutput(): void {
  let room = MAX_OUTPUT;
  const write = (chunk: string | Uint8Array): boolean => {
    if (room > 0) port?.postMessage({ output: String(chunk).slice(0, room) } satisfies WorkerOutput);
    room -= chunk.length;
    return true;
  };
  for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { write });
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

/**
 * Node's permission model covers files, child processes, addons and other workers, and not the network, signals or
 * V8's flags. These stubs close what it leaves open: a seat belt against a hook that does what it did not declare, and
 * no wall against one that means harm.
 */
function confine(): void {
  const refuse = (what: string) => () => {
    throw new Error(`${what} is not among the capabilities of this hook`);
  };
  Object.assign(process, {
    kill: refuse("process.kill"),
    binding: refuse("process.binding"),
    abort: refuse("process.abort"),
    _kill: refuse("process.kill"),
  });
  Object.assign(v8, { setFlagsFromString: refuse("v8.setFlagsFromString") });
  // A report shows the environment of the host.
  Object.defineProperty(process, "report", { value: undefined });
  if (!mayUseNetwork) refuseNetwork(refuse("the network"));
  // Modules see built-ins through copies of their exports, which are brought up to date here.
  syncBuiltinESMExports();
}

function refuseNetwork(network: () => never): void {
  Object.assign(net.Socket.prototype, { connect: network });
  Object.assign(net.Server.prototype, { listen: network });
  Object.assign(dgram.Socket.prototype, { bind: network, send: network, connect: network });
  for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype] as object[]) {
    for (const name of Object.getOwnPropertyNames(resolver)) {
      if (/^(lookup|resolve|reverse)/.test(name)) Object.assign(resolver, { [name]: network });
    }
  }
}
