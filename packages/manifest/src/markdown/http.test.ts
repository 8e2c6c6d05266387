import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNetwork, domainMistake, isPrivate } from "./http.js";

describe("allowed_domains", () => {
  it.each([
    ["example.com", "https://example.com/x", true],
    ["example.com", "http://EXAMPLE.com:8080/", true],
    ["example.com", "https://example.com./x", true],
    ["example.com", "https://api.example.com/", false],
    ["*.example.com", "https://api.EXAMPLE.com./x", true],
    ["*.example.com", "https://a.b.example.com/", true],
    ["*.example.com", "http://example.com/", false],
    ["*.example.com", "http://evilexample.com/", false],
    ["*.example.com", "http://example.com.evil.test/", false],
    ["*.example.com", "http://api.example.com@evil.test/", false],
    ["*.example.com", "http://evil.test#.example.com", false],
    ["*.example.com", "http://evil.test\\.example.com/", false],
    ["*.example.com", "file:///etc/passwd", false],
    ["*.example.com", "nonsense", false],
    ["8.8.8.8", "http://134744072/", true],
    ["8.8.8.8", "http://010.8.8.8/", true],
    ["8.8.8.8", "http://0x8.0x8.0x8.0x8/", true],
    ["*.8.8.8", "http://8.8.8.8/", false],
    ["2606:4700:0:0:0:0:0:1111", "http://[2606:4700::1111]/", true],
    ["::ffff:8.8.8.8", "http://[::ffff:808:808]/", true],
    ["8.8.8.8", "http://[::ffff:8.8.8.8]/", false],
  ])("%s, %s: %s", (entry, url, isAllowed) => {
    expect(createNetwork([entry]).refuse(url) === undefined).toBe(isAllowed);
  });

  it.each([
    ["https://example.com/", "write api.example.com, *.example.com or an address"],
    ["example.com:80", "write api.example.com"],
    ["10.0.0.0/8", "write api.example.com"],
    ["*", "write api.example.com"],
    ["*.*.com", "write api.example.com"],
    ["*.0.0.1", "write api.example.com"],
    ["", "write api.example.com"],
    ["example.com.", "write example.com"],
    ["b\u00fccher.example", "write xn--bcher-kva.example"],
    ["0x7f.1", "write 127.0.0.1"],
    ["2130706433", "write 127.0.0.1"],
  ])("%j is no host: %s", (entry, remedy) => {
    expect(domainMistake(entry)).toContain(remedy);
  });

  it.each(["example.com", "*.example.com", "Example.COM", "localhost", "127.0.0.1", "::1", "[::1]", "0:0:0:0:0:0:0:1"])(
    "%s is one",
    (entry) => expect(domainMistake(entry)).toBeUndefined(),
  );
});

describe("an address", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "192.168.0.1",
    "172.31.0.1",
    "::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::a00:1",
    "2002:a00:1::",
    "fd00::1",
    "fe80::1",
    "0.0.0.0",
    "::",
    "100.64.1.1",
    "255.255.255.255",
    "224.0.0.1",
    "2001:0:4136:e378::1",
  ])("%s is private", (address) => expect(isPrivate(address)).toBe(true));

  it.each(["8.8.8.8", "2606:4700::1111", "172.32.0.1", "::ffff:8.8.8.8"])("%s is not", (address) =>
    expect(isPrivate(address)).toBe(false),
  );
});

describe("an answer", () => {
  let server: Server;
  let home: string;
  let asked: { readonly method: string | undefined; readonly url: string | undefined; readonly token: unknown }[];

  beforeEach(async () => {
    asked = [];
    server = createServer(({ method, url = "", headers }, response) => {
      asked.push({ method, url, token: headers.authorization });
      const status = Number(url.slice(1));
      if (status >= 300) response.writeHead(status, { location: "/end" }).end("moved");
      else if (url === "/other") response.writeHead(307, { location: home.replace("127.0.0.1", "localhost") }).end();
      else if (url === "/circle") response.writeHead(302, { location: "/circle" }).end();
      else if (url === "/nowhere") response.writeHead(302, { location: "http://[" }).end();
      else if (url === "/drip") response.write("x");
      else response.end("here");
    });
    await new Promise<void>((done) => server.listen(0, "localhost", done));
    home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = (path: string, method: "GET" | "POST" = "GET", signal = new AbortController().signal) =>
    createNetwork(["127.0.0.1", "localhost"]).fetch(
      { method, url: `${home}${path}`, headers: { authorization: "t" }, ...(method === "POST" ? { body: "b" } : {}) },
      signal,
    );

  it.each([
    [301, "GET"],
    [302, "GET"],
    [303, "GET"],
    [307, "POST"],
    [308, "POST"],
  ] as const)("%s leads on, with %s for what was a POST", async (status, then) => {
    expect(await ask(`/${status}`, "POST")).toMatchObject({ status: 200, body: "here" });
    expect(asked.map(({ method }) => method)).toEqual(["POST", then]);
  });

  it.each([300, 304, 399])("%s is an answer like any other, whatever place it names", async (status) => {
    expect(await ask(`/${status}`)).toMatchObject({ status });
  });

  it("headers that were meant for one host do not go to another", async () => {
    await ask("/other");
    expect(asked.map(({ token }) => token)).toEqual(["t", undefined]);
  });

  it("redirects come to an end, and lead to what is a place", async () => {
    expect(await ask("/circle")).toEqual({ failure: "more than 5 redirects" });
    expect(await ask("/nowhere")).toEqual({ failure: 'redirected: "http://[" is no URL' });
  });

  it("one that never ends is let go of with its hook", async () => {
    const abort = new AbortController();
    const answer = ask("/drip", "GET", abort.signal);
    await expect.poll(() => asked.length).toBe(1);
    abort.abort();
    expect(await answer).toHaveProperty("failure");
  });
});
