import { rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { messageOf, printable } from "@hooks/core";
import { CliError, EXIT, usage } from "../exit.js";
import { announce, findServer, newToken, prepareSocket, withdraw } from "../serve/presence.js";
import { HookServer } from "../serve/server.js";
import { defineVerb } from "../verb.js";

const PATIENCE_MS = 5_000;

export const verb = defineVerb({
  usage: "serve [--port N] [--most N] [--budget MS] [--no-tape] [--json]",
  about: `Answers the hooks of agents from one process whose hooks stay loaded: over a socket that only you can reach, which
"harn hook" uses by itself when it is there, and over HTTP on loopback for agents with HTTP hooks. Every request needs the
token of this run, or the one in HARN_TOKEN. A policy is loaded when it is first asked, and again when its files change; one
that is broken since blocks, as it would without a server. SIGTERM and SIGINT let the calls that are under way come to their
end.

POST /hook/AGENT takes the agent's payload and answers with its JSON; GET /health says how it is.`,
  flags: {
    port: { type: "string", value: "N", about: "the port on 127.0.0.1; a free one when absent" },
    most: {
      type: "string",
      value: "N",
      about: "calls at a time, 64 when absent; more are refused, and harn hook answers them itself",
    },
    budget: {
      type: "string",
      value: "MS",
      about: "how long the hooks of a call may take when it does not say; 25000 when absent",
    },
    "no-tape": { type: "boolean", about: "record nothing" },
    json: { type: "boolean", about: "one JSON document on standard output when it is ready" },
  },
  examples: [
    { command: "harn serve", shows: "warm hooks for every agent of yours" },
    { command: "harn serve --port 7411 --json", shows: "where it is, for the configuration of an HTTP hook" },
  ],
  async run({ flags }, terminal) {
    const { host, talk, json } = terminal;
    const port = wholeNumber("port", flags.port, 0, 0);
    const most = wholeNumber("most", flags.most, 64, 1);
    const budget = wholeNumber("budget", flags.budget, 25_000, 1);
    const token = tokenFrom(host.env.HARN_TOKEN);
    const path = prepareSocket();
    if (await isAnswered(path)) {
      const message = `a server of yours is running already, process ${findServer()?.pid ?? "unknown"}`;
      throw new CliError("HARN_E_SERVER", EXIT.io, message, "stop it first, or use it");
    }
    rmSync(path, { force: true });
    const server = new HookServer({ token, most, budget, isTaped: !flags["no-tape"] }, terminal);
    const doors: Server[] = [];
    for (const where of [{ path }, { port, host: "127.0.0.1" }]) doors.push(await server.listen(where).catch(unheard));
    const address = doors[1]?.address();
    const bound = typeof address === "object" && address !== null ? address.port : port;
    // One hook that fails outside of its call must not take the others with it.
    const survive = (error: unknown) =>
      talk(`warning: a hook failed outside of its call: ${printable(messageOf(error))}`);
    process.on("uncaughtException", survive).on("unhandledRejection", survive);
    const presence = announce(path, bound, token);
    if (flags.json) json({ ok: true, ...presence, url: `http://127.0.0.1:${bound}` });
    else talk(`harn serve: ${path} and http://127.0.0.1:${bound}, process ${process.pid}`);
    const signal = await new Promise<string>((resolve) => {
      for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(name, () => resolve(name));
    });
    withdraw(presence);
    for (const door of doors) {
      door.close();
      door.closeIdleConnections();
    }
    talk(`harn serve: ${signal}, finishing`);
    await server.drain(PATIENCE_MS);
    return EXIT.fine;
  },
});

function unheard(error: NodeJS.ErrnoException): never {
  const why = error.code === "EADDRINUSE" ? "somebody else listens there" : messageOf(error);
  throw new CliError("HARN_E_SERVER", EXIT.io, `the server cannot listen: ${why}`, "choose another --port");
}

const SHORTEST_TOKEN = 24;

/** The token a person keeps in the settings of agents, or one of this run. */
function tokenFrom(given: string | undefined): string {
  if (given === undefined || given === "") return newToken();
  if (given.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(given))
    throw usage(`HARN_TOKEN must be ${SHORTEST_TOKEN} characters or more, without blanks`, "openssl rand -hex 24");
  return given;
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function wholeNumber(flag: string, given: string | undefined, otherwise: number, least: number): number {
  if (given === undefined) return otherwise;
  const number = Number(given);
  if (!Number.isInteger(number) || number < least)
    throw usage(`--${flag} must be a whole number from ${least} on, got "${given}"`);
  return number;
}
