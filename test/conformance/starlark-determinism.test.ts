import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../house/repository.js";

const home = join(root, "packages/starlark");

/** What differs by locale, time zone, engine or moment, and what could run text as JavaScript. */
const FORBIDDEN =
  /\b(?:localeCompare|toLocale\w*|Intl|Date|Math\.random|performance|crypto|process|globalThis|eval|new Function|setTimeout|WebAssembly)\b|\.sort\(\)/;

test("nothing in the sources asks for a locale, a clock or chance, or runs text", () => {
  const files = readdirSync(join(home, "src"), { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  expect(sources.length).toBeGreaterThan(30);
  const found = sources.flatMap((file) =>
    readFileSync(join(home, "src", file), "utf8")
      .split("\n")
      .flatMap((line, i) =>
        FORBIDDEN.test(line.replace(/\/\/.*|\*.*|"[^"]*"/g, "")) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
      ),
  );
  // Names are sorted by their UTF-16 units, which is what sort() does without a function.
  expect(found.filter((line) => !line.includes("[...names].sort()"))).toEqual([]);
});

// One program that touches what other languages let depend on where they run.
const PROGRAM = `
words = ["İstanbul", "istanbul", "Zürich", "zebra", "ärger", "Äpfel", "ß", "ǆ", "ı", "I"]
x = {
    "sorted": sorted(words),
    "lower": [w.lower() for w in words],
    "upper": [w.upper() for w in words],
    "title": [w.title() for w in words],
    "floats": [str(f) for f in [1e6, 1234567.891, 0.1, 1e-7]] + ["%f %e %g %d" % (1234.5, 1234.5, 1234.5, 1234)],
    "hash": [hash(w) for w in words],
    "max": max(words),
    "json": json.encode({w: i for i, w in enumerate(words)}),
    "repr": repr(words),
    "keys": {(len, w): 1 for w in words}.values(),
    "re": re.findall("(?i)i\\\\w+", " ".join(words)),
}
`;
const RUN = `
const { Program, json, re, repr, Thread } = await import(process.argv[1]);
const module = Program.compile(process.argv[2], { predeclared: { json, re } }).run();
console.log(repr(new Thread(), module.globals.get("x")), module.steps, module.memory);`;

test("the same program gives the same, with the same steps, in every locale and time zone", () => {
  const places = [
    { TZ: "UTC", LANG: "C", LC_ALL: "C" },
    { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    { TZ: "America/St_Johns", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
  ];
  const outputs = places.map((place) => {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const args = ["--input-type=module", "-e", RUN, new URL(`file://${home}/dist/index.js`).href, PROGRAM];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      env: { ...env, ...place },
    });
    expect(status, stderr).toBe(0);
    return stdout;
  });
  expect(outputs[0]).toContain(
    '"sorted": ["I", "Zürich", "istanbul", "zebra", "Äpfel", "ß", "ärger", "İstanbul", "ı", "ǆ"]',
  );
  expect(new Set(outputs).size).toBe(1);
});
