/** A fenced block of a Markdown page. */
export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
export function fencesOf(page: string): Fence[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({ language, text }));
}

/** Whether a shell block is for a clone of this repository; every other one is for a project that uses Harn. */
export function isForRepository({ language, text }: Fence): boolean {
  return language === "sh" && /^(npm (start|test|run \S+)\s*(#.*)?\n)+$/.test(text);
}

/** The commands of a page for this repository, comments left out. */
export function commandsOf(page: string): string[] {
  return fencesOf(page)
    .filter(isForRepository)
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
