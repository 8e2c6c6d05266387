import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { detectors } from "./detectors.js";
import { createRedactor } from "./redactor.js";

// Put together here, so that no scanner takes this file for a leak.
const A36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const HEX = "0123456789abcdef".repeat(10);
const SECRETS: readonly (readonly [string, string])[] = [
  ["aws-access-key", `AKIA${"IOSFODNN7EXAMPLE".slice(0, 7)}MNOPQRST2`],
  ["github", `ghp_${A36}`],
  ["github", `github_pat_${A36}${A36}`],
  ["gitlab", `glpat-${A36.slice(0, 20)}`],
  ["slack", `xoxb-${"1234567890"}-${A36.slice(0, 20)}`],
  ["stripe", `sk_live_${A36.slice(0, 24)}`],
  ["anthropic", `sk-ant-api03-${A36}${A36}`],
  ["openai", `sk-proj-${A36}${A36}`],
  ["google-api-key", `AIza${A36.slice(0, 35)}`],
  ["npm", `npm_${A36}`],
  ["huggingface", `hf_${A36}`],
  ["sendgrid", `SG.${A36.slice(0, 22)}.${A36}${A36.slice(0, 7)}`],
  ["twilio", `SK${HEX.slice(0, 32)}`],
  ["digitalocean", `dop_v1_${HEX.slice(0, 64)}`],
  ["telegram", `123456789:AA${A36.slice(0, 33)}`],
  ["vault", `hvs.${A36}`],
  ["terraform", `${A36.slice(0, 14)}.atlasv1.${A36}${A36}`],
  ["jwt", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${A36}`],
];
const redactor = createRedactor();

describe("a secret", () => {
  test.each(SECRETS)("%s is taken out wherever it stands", (id, secret) => {
    for (const text of [
      secret,
      `key ${secret}\n`,
      `"${secret}"`,
      `(${secret}),`,
      `A=${secret};b`,
      `${"x ".repeat(5_000)}${secret} y`,
    ]) {
      const redacted = redactor.text(text);
      expect(redacted.text).toBe(text.replace(secret, `[REDACTED:${id}]`));
      expect([...redacted.found.keys()]).toEqual([id]);
    }
  });

  test("that another one is glued to goes with it", () => {
    for (const first of [`ghp_${A36}`, `AKIA${"IOSFODNN7EXAMPLE".slice(0, 7)}MNOPQRST2`]) {
      for (const rest of [`ghp_${A36}`, "_v2", "-old"]) {
        expect(redactor.text(`x ${first}${rest} y`).text).toMatch(/^x \[REDACTED:[a-z-]+\] y$/);
      }
    }
  });

  test("is taken out however many there are, and only it", () => {
    const text = SECRETS.map(([, secret], n) => `line ${n}: ${secret} end`).join("\n");
    expect(redactor.text(text).text).toBe(SECRETS.map(([id], n) => `line ${n}: [REDACTED:${id}] end`).join("\n"));
  });

  test.each([
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----", "[REDACTED:private-key]"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA", "[REDACTED:private-key]"],
    ["-----BEGIN EC PRIVATE KEY-----\\nMHcCAQ==\\n-----END EC PRIVATE KEY-----", "[REDACTED:private-key]"],
    ["postgres://app:hunter2secret@db.local/x", "postgres://app:[REDACTED:url-password]@db.local/x"],
    ["Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [REDACTED:authorization]"],
    ["Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [REDACTED:authorization]"],
    ["Set-Cookie: session=abc123; Path=/", "Set-Cookie: [REDACTED:cookie]"],
    ["DB_PASSWORD=tr0ub4dor&3", "DB_PASSWORD=[REDACTED:assignment]"],
    ['"api_key": "9f8e7d6c5b4a3210"', '"api_key": "[REDACTED:assignment]"'],
    [
      "aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzKEY1",
      "aws_secret_access_key = [REDACTED:aws-secret-key]",
    ],
    ["//registry.test/:_authToken=abcdefgh12345678zz", "//registry.test/:_authToken=[REDACTED:npm]"],
    [`AccountKey=${"Ab1+".repeat(20)}==`, "AccountKey=[REDACTED:azure-account-key]"],
  ])("%s", (text, expected) => {
    expect(redactor.text(text).text).toBe(expected);
  });

  test("longer than a detector looks is taken out to its end", () => {
    const text = `eyJhbGciOiJIUzI1NiJ9.eyJ${"a1".repeat(20_000)}.sig end`;
    expect(redactor.text(text).text).toBe("[REDACTED:jwt] end");
  });
});

test.each([
  "const password = process.env.DB_PASSWORD;",
  "password: <your-password-here>",
  "token = getToken(request)",
  "the secret is out: nobody knows",
  `API_KEY=$${"{API_KEY}"}`,
  "max_tokens: 4096, tokens: 12000000",
  "https://example.com/path?sig=short",
  "task-2024 sk-1 SKU SKIP ghp_short AKIAlower",
  "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  "secret_path = ./config/secrets/production.yaml",
  "git clone https://user@example.com/x.git",
  "const tokenizer = new Tokenizer(12345678);",
])("%s holds no secret", (text) => {
  expect(redactor.text(text)).toEqual({ text, found: new Map() });
});

describe("JSON", () => {
  test("keeps its shape, and what stands under a telling key is taken out", () => {
    const value = {
      user: "ada",
      password: "tr0ub4dor&3",
      nested: [{ token: "9f8e7d6c5b4a", tokens: 5 }],
      text: `x ghp_${A36}`,
    };
    expect(redactor.json(value).value).toEqual({
      user: "ada",
      password: "[REDACTED:assignment]",
      nested: [{ token: "[REDACTED:assignment]", tokens: 5 }],
      text: "x [REDACTED:github]",
    });
  });

  test("is itself when there is nothing to take out", () => {
    const value = { a: [1, null, true, "text"], max_tokens: "4096" };
    expect(redactor.json(value).value).toBe(value);
  });

  test("keys are redacted too, and stay apart", () => {
    const value = { [`ghp_${A36}`]: 1, [`ghp_${A36}0`]: 2 };
    expect(redactor.json(value).value).toEqual({ "[REDACTED:github]": 1, "[REDACTED:github]#2": 2 });
  });

  test("a key called __proto__ is a key like any other", () => {
    const value = JSON.parse(`{"__proto__": {"x": "ghp_${A36}"}}`) as object;
    expect(JSON.stringify(redactor.json(value).value)).toBe('{"__proto__":{"x":"[REDACTED:github]"}}');
  });
});

describe("options", () => {
  test("a detector can be switched off, and only one there is", () => {
    expect(createRedactor({ disable: ["github"] }).text(`ghp_${A36}`).found.size).toBe(0);
    expect(() => createRedactor({ disable: ["githup"] })).toThrow('there is no detector "githup" to disable');
  });

  test("patterns of one's own, by group or as a whole", () => {
    const own = createRedactor({
      patterns: [
        { id: "badge", regex: "badge (ACME-\\d+)" },
        { id: "host", regex: "\\w+\\.corp" },
      ],
    });
    expect(own.text("badge ACME-17 on db1.corp").text).toBe("badge [REDACTED:badge] on [REDACTED:host]");
  });

  test("what is allowed is left alone", () => {
    const own = createRedactor({ allow: ["ghp_a1B2.*"] });
    expect(own.text(`ghp_${A36} ghp_${A36.split("").reverse().join("")}`).text).toBe(`ghp_${A36} [REDACTED:github]`);
  });

  test.each([
    ["(", /no regular expression/],
    ["a*", /would match everywhere/],
    ["a(?=b)", /no regular expression/],
    ["a".repeat(1_001), /longer than/],
  ])("%.20s is refused", (regex, message) => {
    expect(() => createRedactor({ patterns: [{ id: "x", regex }] })).toThrow(message);
  });
});

test("every detector compiles, and none of them matches the empty text", () => {
  for (const { id, keywords } of detectors) {
    expect(keywords.length, id).toBeGreaterThan(0);
    for (const keyword of keywords) expect(typeof redactor.text(keyword).text, id).toBe("string");
  }
});

test("nothing of a secret survives any text around it", () => {
  const around = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(around, fc.constantFrom(...SECRETS), around, (before, [, secret], after) => {
      const { text } = redactor.text(`${before} ${secret} ${after}`);
      expect(text).not.toContain(secret);
    }),
    { seed: 7, numRuns: 500 },
  );
});

test("the quick look around a keyword overlooks nothing its expression would find", () => {
  const word = fc.constantFrom(
    "token",
    "password",
    "--",
    "-",
    "=",
    ":",
    "=>",
    " ",
    "\n",
    '"',
    "'",
    "api",
    "_key",
    "x",
    "secret",
    ".",
    "hunter2abc",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), (words) => {
      const text = words.join("");
      for (const { regex, keywords, isPlausible } of detectors) {
        if (isPlausible === undefined || !RE2JS.compile(regex).matcher(text).find()) continue;
        const lower = text.toLowerCase();
        const hits = keywords.flatMap((keyword) =>
          placesOf(lower, keyword.toLowerCase()).map((at) => isPlausible(text, at, keyword)),
        );
        expect(hits).toContain(true);
      }
    }),
    { seed: 8, numRuns: 3_000 },
  );
});

function placesOf(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) places.push(at);
  return places;
}
