import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capText } from "./cap.js";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const boundaries = (text: string) =>
  new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length));
const MARKER = /\n\[\.\.\. (\d+) characters dropped \.\.\.\]\n|…/;

describe("capText", () => {
  test("leaves what fits alone", () => {
    expect(capText("hello", 5)).toEqual({ text: "hello", dropped: 0 });
    expect(capText("", 0)).toEqual({ text: "", dropped: 0 });
  });

  test("keeps head and tail, and says what is gone", () => {
    const { text, dropped } = capText(`${"a".repeat(500)}${"z".repeat(500)}`, 200);
    expect(text).toMatch(/^a+\n\[\.\.\. \d+ characters dropped \.\.\.\]\nz+$/);
    expect(text).toContain(`[... ${dropped} characters dropped ...]`);
    expect(text.length).toBeLessThanOrEqual(200);
  });

  test("cuts on line ends where they are near", () => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
    const { text } = capText(lines, 300);
    const [head = "", tail = ""] = text.split(MARKER).filter((_, i) => i !== 1);
    expect(head.endsWith("\n")).toBe(true);
    expect(tail).toMatch(/^line \d+\n/);
  });

  test.each([0, 1, 2, 3, 10, 30, 60])("is a hard bound at %i too", (max) => {
    expect(capText("x".repeat(100), max).text.length).toBeLessThanOrEqual(max);
    expect(capText("👨‍👩‍👧‍👦".repeat(20), max).text.length).toBeLessThanOrEqual(max);
  });

  test("never exceeds the bound, never splits a grapheme, and counts exactly", () => {
    const piece = fc.constantFrom(
      "a",
      "\n",
      "\r\n",
      "é",
      "e\u0301",
      "👍🏽",
      "👨‍👩‍👧‍👦",
      "🇩🇪",
      "한",
      "\ud800",
      "y\u0308\u0323\u0301",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), fc.nat(400), (pieces, max) => {
        const whole = pieces.join("");
        const { text, dropped } = capText(whole, max);
        expect(text.length).toBeLessThanOrEqual(max);
        if (dropped === 0) {
          expect(text).toBe(whole);
          return;
        }
        const marker = MARKER.exec(text);
        const head = text.slice(0, marker?.index ?? 0);
        const tail = marker === null ? "" : text.slice(marker.index + marker[0].length);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + dropped).toBe(whole.length);
        expect(boundaries(whole).has(head.length)).toBe(true);
        expect(boundaries(whole).has(whole.length - tail.length)).toBe(true);
        if (marker?.[1] !== undefined) expect(Number(marker[1])).toBe(dropped);
      }),
      { numRuns: 3_000 },
    );
  });

  test("a million characters of one grapheme cost no more than dropping them", () => {
    const { text, dropped } = capText(`e${"\u0301".repeat(1_000_000)}`, 100);
    expect(text.length).toBeLessThanOrEqual(100);
    expect(dropped).toBe(1_000_001);
  });
});
