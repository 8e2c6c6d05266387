import type { Json } from "@hooks/core";
import {
  Builtin,
  Dict,
  defineModule,
  Float,
  json as jsonModule,
  List,
  Namespace,
  PatternSearch,
  parameters,
  type Thread,
  Tuple,
  toText,
  type Value,
} from "@hooks/starlark";
import type { Host } from "./host.js";
import { headerMistake } from "./http.js";
import { NotJson, toJson, toStarlark } from "./values.js";

type Body = (thread: Thread, args: readonly (Value | undefined)[]) => Value;

function builtin(name: string, wanted: string, body: Body): Builtin {
  return new Builtin(name, parameters(wanted), body);
}

function namespace(name: string, members: readonly Builtin[]): Namespace {
  return new Namespace(name, new Map(members.map((member) => [member.name.slice(name.length + 1), member])));
}

/** What a hook's script has beside the language itself. There is nothing here that runs a program or opens a file. */
export function hostBuiltins(host: Host): ReadonlyMap<string, Value> {
  const json = (thread: Thread, value: Value | undefined): Json => {
    try {
      return toJson(value ?? null);
    } catch (error) {
      if (error instanceof NotJson) return thread.fail(`${error.message} is not JSON`);
      throw error;
    }
  };
  const number = (thread: Thread, value: Value | undefined): number => {
    const plain = value instanceof Float ? value.value : value;
    return typeof plain === "number" && Number.isFinite(plain) ? plain : thread.fail("want an int or a float");
  };
  const say =
    (level: "info" | "warn") =>
    (thread: Thread, [message]: readonly (Value | undefined)[]) => {
      host.call.log(level, toText(thread, message ?? null));
      return null;
    };
  const ask = (method: "GET" | "POST") => (thread: Thread, args: readonly (Value | undefined)[]) => {
    const [url, given, headers] = method === "GET" ? [args[0], undefined, args[1]] : args;
    const body = given === undefined || typeof given === "string" ? given : JSON.stringify(json(thread, given));
    const request = {
      method,
      url: String(url),
      headers: {
        ...(given === undefined || typeof given === "string" ? {} : { "content-type": "application/json" }),
        ...texts(thread, json(thread, headers ?? null)),
      },
      ...(body === undefined ? {} : { body }),
    };
    const refusal = host.network.refuse(request.url);
    if (refusal !== undefined) thread.fail(refusal);
    const answer = host.call.ask(request);
    if ("failure" in answer) return thread.fail(answer.failure);
    return toStarlark(thread, { ...answer });
  };

  return new Map<string, Value>([
    ["allow", builtin("allow", "", () => host.allowed)],
    [
      "block",
      builtin("block", "reason:any?", (thread, [reason]) => dict(thread, { action: "block", reason: reason ?? null })),
    ],
    [
      "modify",
      builtin("modify", "payload", (thread, [payload]) => dict(thread, { action: "modify", payload: payload ?? null })),
    ],
    [
      "metrics",
      namespace("metrics", [
        builtin("metrics.incr", "name:string by?", (thread, [name, by]) => {
          host.call.incr(String(name), by === undefined ? 1 : number(thread, by));
          return null;
        }),
        builtin("metrics.set", "name:string value", (thread, [name, value]) => {
          host.call.set(String(name), number(thread, value));
          return null;
        }),
        builtin("metrics.snapshot", "", (thread) => toStarlark(thread, host.call.snapshot())),
      ]),
    ],
    ["log", logging(say("info"), say("warn"))],
    [
      "cache",
      namespace("cache", [
        builtin("cache.get", "key:string default?", (thread, [key, fallback]) => {
          const value = host.call.get(String(key));
          return value === undefined ? (fallback ?? null) : toStarlark(thread, value);
        }),
        builtin("cache.set", "key:string value", (thread, [key, value]) => {
          host.call.put(String(key), json(thread, value));
          return null;
        }),
      ]),
    ],
    [
      "http",
      namespace("http", [
        builtin("http.get", "url:string headers?~", ask("GET")),
        builtin("http.post", "url:string body?~ headers?~", ask("POST")),
      ]),
    ],
    // One of our own with its members: where the language is loaded late, what stands in for its module is no value.
    ["json", new Namespace("json", jsonModule.members)],
    ["re", expressions()],
    [
      "string",
      namespace("string", [
        builtin("string.truncate", "text:string length:int suffix:string?", (thread, [text, length, suffix]) => {
          const characters = [...String(text)];
          const most = Number(length);
          if (most < 0) return thread.fail("length must be 0 or more");
          if (characters.length <= most) return String(text);
          const end = [...String(suffix ?? "")].slice(0, most);
          return [...characters.slice(0, most - end.length), ...end].join("");
        }),
      ]),
    ],
  ]);
}

function dict(thread: Thread, entries: Readonly<Record<string, Value>>): Dict {
  const made = new Dict();
  for (const [key, value] of Object.entries(entries)) made.put(thread, key, value);
  return made;
}

function texts(thread: Thread, value: Json): Record<string, string> {
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) return thread.fail("headers must be a dict");
  const headers = Object.entries(value).map(([key, item]) => [key.toLowerCase(), String(item)] as const);
  for (const [key] of headers) {
    const mistake = headerMistake(key);
    if (mistake !== undefined) thread.fail(mistake);
  }
  return Object.fromEntries(headers);
}

/** `log(message)`, and `log.info` and `log.warn` on the same name. */
function logging(info: Body, warn: Body): Value {
  const members = { info: builtin("log.info", "message", info), warn: builtin("log.warn", "message", warn) };
  return defineModule("log", members, builtin("log", "message", info));
}

/** Regular expressions in linear time: a text an agent chose cannot make them hang. */
function expressions(): Namespace {
  const one =
    (isAnchored: boolean): Body =>
    (thread, [pattern, text]) => {
      const search = new PatternSearch(thread, String(pattern), String(text));
      const groups = isAnchored ? search.atStart() : search.next();
      if (groups === undefined) return null;
      return new Namespace(
        "match",
        new Map<string, Value>([
          [
            "group",
            builtin("group", "index:int?", (inner, [index]) => {
              const at = Number(index ?? 0);
              return at >= 0 && at < groups.length ? (groups[at] ?? null) : inner.fail(`there is no group ${at}`);
            }),
          ],
          ["groups", builtin("groups", "", () => new Tuple(groups.slice(1)))],
        ]),
      );
    };
  return namespace("re", [
    builtin("re.match", "pattern:string text:string", one(true)),
    builtin("re.search", "pattern:string text:string", one(false)),
    builtin("re.findall", "pattern:string text:string", (thread, [pattern, text]) => {
      const search = new PatternSearch(thread, String(pattern), String(text));
      const all: Value[] = [];
      for (let match = search.next(); match !== undefined; match = search.next()) {
        const [whole = null, ...groups] = match;
        thread.allocate(32);
        all.push(
          groups.length === 0
            ? whole
            : groups.length === 1
              ? (groups[0] ?? "")
              : new Tuple(groups.map((group) => group ?? "")),
        );
      }
      return new List(all);
    }),
  ]);
}
