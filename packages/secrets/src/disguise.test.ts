import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./redactor.js";
import { shadowOf } from "./shadows.js";

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
const PASSWORD = `tr0ub4dor${"&3xY"}`;
const ESC = "\u001b";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const LINES = Array.from({ length: 12 }, (_, place) => base64(`line ${place} of the key, quite long`));
const KEY = ["-----BEGIN RSA PRIVATE KEY-----", ...LINES, "-----END RSA PRIVATE KEY-----"];
const redactor = createRedactor();

describe("nothing hides a secret that whoever reads the text would see", () => {
  test.each([
    ["a colour before it", `${ESC}[32m${TOKEN}${ESC}[0m`, TOKEN],
    ["a colour in it", `${ESC}[01;31mghp_${ESC}[m${ESC}[K${TOKEN.slice(4)}`, TOKEN.slice(4)],
    ["a colour that is written out", `\\u001b[32m${TOKEN}`, TOKEN],
    ["a character nobody sees", `gh\u200bp_${TOKEN.slice(4)}`, TOKEN.slice(4)],
    ["the escapes of a URL", `next=%2Fx%3Ftoken%3D${TOKEN}`, TOKEN],
    ["JSON in a text of JSON", JSON.stringify(JSON.stringify({ password: PASSWORD })), PASSWORD],
    ["base64", `data: ${base64(`token ${TOKEN}`)}`, base64(`token ${TOKEN}`)],
    ["base64 of base64", base64(`{"auth":"${base64(`me:${TOKEN}`)}"}`), base64(`{"auth":"${base64(`me:${TOKEN}`)}"}`)],
    ["base64 in lines", base64(KEY.join("\n")).replace(/.{64}/g, "$&\n"), base64(KEY.join("\n")).slice(128, 180)],
    ["hexadecimal digits", Buffer.from(TOKEN).toString("hex"), Buffer.from(TOKEN).toString("hex")],
    ["an element", `<password>${PASSWORD}</password>`, PASSWORD],
    ["an index", `os.environ['API_KEY'] = '${PASSWORD}'`, PASSWORD],
    ["a short name", `DB_PASS=${PASSWORD}`, PASSWORD],
    ["a line of netrc", `machine h login me password ${PASSWORD}`, PASSWORD],
    ["a command", `curl -s -u me:${PASSWORD} https://x`, PASSWORD],
  ])("%s", (_, text, secret) => expect(redactor.text(text).text).not.toContain(secret));

  test.each([
    ["numbers of lines", (line: string, place: number) => `${String(place + 1).padStart(6)}\u2192${line}`],
    ["a difference", (line: string) => `+${line}`],
    ["the text of a program", (line: string) => `"${line}\\n" +`],
    ["a quotation", (line: string) => `> ${line}`],
  ])("a key with %s", (_, around) => {
    const { text } = redactor.text(`before\n${KEY.map(around).join("\n")}\nafter it all`);
    for (const line of LINES) expect(text).not.toContain(line);
    expect(text).toContain("after it all");
  });

  test("in JSON, by the key it stands under", () => {
    const secrets = { api: PASSWORD, name: "prod-db-1x" };
    const { value } = redactor.json({
      auths: { h: { auth: base64(`me:${PASSWORD}`) } },
      secrets,
      password: 12_345_678,
    });
    expect(JSON.stringify(value)).not.toMatch(/tr0ub|12345678/);
    expect(JSON.stringify(value)).not.toContain(base64(`me:${PASSWORD}`));
    expect(value.secrets.name).toBe("prod-db-1x");
    expect(redactor.isSuspect(JSON.stringify({ out: base64(`x ${TOKEN}`) }))).toBe(true);
    expect(redactor.isSuspect(JSON.stringify({ out: `${ESC}[32m${TOKEN}` }))).toBe(true);
  });
});

test.each([
  "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "d41d8cd98f00b204e9800998ecf8427e  file.txt",
  "C:\\Users\\me\\new\\table\\x.ts",
  `${ESC}[32mok${ESC}[0m packages/core/src/index.test.ts`,
  "https://example.com/a%20b?c=%2Fd",
  base64("nothing to see here, move along please"),
  "class PasswordField > Input",
  "passed: 12 tests, all_pass: true",
])("what hides nothing stays: %s", (text) => expect(redactor.text(text).text).toBe(text));

test("every place of a shadow is a place of its text, in order", () => {
  const piece = fc.constantFrom("a", "%41", "\\n", '\\"', `${ESC}[1m`, "\u200b", "%zz", "\\", "é", "😀", "\\u0041");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join("");
      const shadow = shadowOf(text);
      if (shadow === null) return;
      expect(shadow.places.length).toBe(shadow.text.length + 1);
      expect([...shadow.places].every((place, at, all) => at === 0 || place >= (all[at - 1] as number))).toBe(true);
      expect(shadow.places.at(-1)).toBe(text.length);
    }),
    { seed: 2, numRuns: 500 },
  );
});
