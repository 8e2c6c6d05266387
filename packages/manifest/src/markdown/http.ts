import dns, { type LookupAddress } from "node:dns";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { BlockList, isIP } from "node:net";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type HttpAnswer =
  | { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly failure: string };

/** The network as hooks see it: the hosts that are listed, and no other. */
export interface Network {
  /** Why a URL may not be asked; undefined when it may. */
  refuse(url: string): string | undefined;
  /** Asks; a request that fails answers with the failure. */
  fetch(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
}

const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const TIMEOUT_MS = 10_000;

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

/** Headers that say where a request goes and where it ends: those are not for a script to say. */
const RESERVED: readonly string[] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "expect"];

/** Why a script may not send this header. */
export function headerMistake(name: string): string | undefined {
  return RESERVED.includes(name) ? `a script cannot set the header ${name}` : undefined;
}

/** What is wrong with an entry of `allowed_domains`; undefined when it is a host, `*.` and a domain, or an address. */
export function domainMistake(entry: string): string | undefined {
  if (isIP(bare(entry)) !== 0) return undefined;
  const isWild = entry.startsWith("*.");
  const host = isWild ? entry.slice(2) : entry;
  const written = writtenInUrls(host);
  // An address has no subdomains, in whatever way it is written.
  const isRight = HOST.test(host) && written !== undefined && !(isWild && isIP(written) !== 0);
  if (isRight && written === host.toLowerCase()) return undefined;
  const better = /[/:@?#\s]/.test(entry) ? "" : (written ?? "").replace(/\.$/, "");
  const example = !isWild && HOST.test(better) ? better : "api.example.com, *.example.com or an address";
  return `"${entry}" is no host: write ${example}`;
}

/** A host as it stands in a URL that was read: one way to write each address, and letters of the world as ASCII. */
function writtenInUrls(host: string): string | undefined {
  try {
    return bare(new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}/`).hostname);
  } catch {
    return undefined;
  }
}

/** The network of a list of hosts. */
export function createNetwork(allowed: readonly string[]): Network {
  const hosts = new Set(allowed.map((entry) => writtenInUrls(bare(entry)) ?? entry));
  const domains = allowed.filter((entry) => entry.startsWith("*.")).map((entry) => entry.slice(1).toLowerCase());
  const isListed = (host: string) =>
    hosts.has(host) || (isIP(host) === 0 && domains.some((domain) => host.endsWith(domain)));
  const check = (text: string): URL | string => {
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      return `${JSON.stringify(text.slice(0, 200))} is no URL`;
    }
    if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol} is not http: or https:`;
    if (url.username !== "" || url.password !== "") return "a URL may not hold a password: use headers";
    const host = hostOf(url);
    return isListed(host) ? url : `${host} is not in network.allowed_domains`;
  };
  // A name may lead anywhere; what it leads to inside the house has to be listed itself.
  const mayReach = (host: string, address: string) =>
    !isPrivate(address) || host === address || isListed(address) || (isLocal(host) && isLoopback(address));
  return {
    refuse(text) {
      const url = check(text);
      return typeof url === "string" ? url : undefined;
    },
    async fetch(first, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      let request = first;
      try {
        for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
          const url = check(request.url);
          if (typeof url === "string") return { failure: `${hops > 0 ? "redirected: " : ""}${url}` };
          const answer = await send(url, request, deadline, mayReach);
          const target = REDIRECTS.includes(answer.status) ? answer.headers.location : undefined;
          if (target === undefined) return answer;
          if (!URL.canParse(target, url.href))
            return { failure: `redirected: ${JSON.stringify(target.slice(0, 200))} is no URL` };
          request = redirected(request, new URL(target, url), url, answer.status);
        }
        return { failure: `more than ${MAX_REDIRECTS} redirects` };
      } catch (error) {
        return {
          failure:
            (error as Error).name === "TimeoutError" ? "the request took too long" : String((error as Error).message),
        };
      }
    },
  };
}

/** The next request of a redirect: what was meant for one host is not sent to another. */
function redirected(request: HttpRequest, target: URL, from: URL, status: number): HttpRequest {
  const keepsBody = status === 307 || status === 308;
  const headers = target.origin === from.origin ? request.headers : {};
  const { body, ...rest } = request;
  if (keepsBody) return { ...request, url: target.href, headers };
  return { ...rest, method: "GET", url: target.href, headers };
}

type Response = Exclude<HttpAnswer, { failure: string }>;

function send(
  url: URL,
  { method, headers, body }: HttpRequest,
  signal: AbortSignal,
  mayReach: (host: string, address: string) => boolean,
): Promise<Response> {
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && !mayReach(host, host)) return reject(new Error(`${host} is a private address`));
    const open = url.protocol === "https:" ? secureRequest : plainRequest;
    // The name is resolved here and nowhere else, so the address that was checked is the one that is connected to.
    const lookup = (
      name: string,
      options: object,
      done: (error: Error | null, address: LookupAddress[] | string, family?: number) => void,
    ) => {
      dns.lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return done(error, []);
        const bad = found.find(({ address }) => !mayReach(host, address));
        if (bad !== undefined)
          return done(new Error(`${host} leads to ${bad.address}, a private address that is not listed`), []);
        if ((options as { all?: boolean }).all === true) return done(null, found);
        const [one] = found as [LookupAddress];
        done(null, one.address, one.family);
      });
    };
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = open(
      url,
      { method, headers: { ...headers, ...length }, signal, lookup: lookup as never, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BYTES) sent.destroy(new Error(`an answer of more than ${MAX_BYTES} bytes`));
          else chunks.push(chunk);
        });
        response.on("error", reject);
        response.on("end", () => {
          const pairs = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString("utf8"),
            headers: Object.fromEntries(pairs),
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function hostOf(url: URL): string {
  return bare(url.hostname).toLowerCase().replace(/\.$/, "");
}

function bare(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

// The name for this machine; where somebody else's name server makes it another one, that has to be listed.
function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./i.test(address);
}

const PRIVATE_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const;
const PRIVATE_V6 = [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
  ["2001::", 32],
  ["2002::", 16],
] as const;

let privateNets: BlockList | undefined;

// Made when a script first asks for the network: most never do, and Node's own module takes its time.
function privateList(): BlockList {
  if (privateNets !== undefined) return privateNets;
  privateNets = new BlockList();
  for (const [net, prefix] of PRIVATE_V4) privateNets.addSubnet(net, prefix, "ipv4");
  for (const [net, prefix] of PRIVATE_V6) privateNets.addSubnet(net, prefix, "ipv6");
  return privateNets;
}

/** Whether an address belongs to this machine or this network, in any way of writing it. */
export function isPrivate(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPrivate(mapped);
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (hex !== null) {
    const [high, low] = [Number.parseInt(hex[1] ?? "", 16), Number.parseInt(hex[2] ?? "", 16)];
    return isPrivate(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`);
  }
  return privateList().check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
