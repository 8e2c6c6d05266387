/** A fenced block of a Markdown page. */
interface Fence {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
function fencesOf(page: string): Fence[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({ language, text }));
}

/** The commands of a page's `sh` blocks, comments left out. */
export function commandsOf(page: string): string[] {
  return fencesOf(page)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.split("\n"))
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** The `ts` blocks of a page, each with the `text` block right after it: what it prints. */
export function examplesOf(page: string): { code: string; prints: string }[] {
  const fences = fencesOf(page);
  return fences.flatMap(({ language, text }, index) => {
    const next = fences[index + 1];
    return language === "ts" ? [{ code: text, prints: next?.language === "text" ? next.text : "" }] : [];
  });
}
