import { homePlace, insidePlace, type Names, type Place, type Surroundings } from "./inside.js";

/** Where a path with a drive letter leads. */
export function windowsPlace(names: Names, around: Surroundings): Place {
  // `C:Users` is what a shell makes of `C:\Users`.
  const parts = names
    .flatMap((name, index) => {
      const texts = (index === 0 ? name.text.slice(2) : name.text).split("\\");
      return texts.map((text) => ({ ...name, text, isEverything: /^[*.?]+$/.test(text) && /\*/.test(text) }));
    })
    .filter(({ text }) => text !== "");
  const [first] = parts;
  if (first === undefined || first.isEverything) return "root";
  const path = parts
    .map(({ text }) => text)
    .join("/")
    .toLowerCase();
  if (/^(windows\/temp|temp|tmp)\/./.test(path) || /\/appdata\/local\/temp\/./.test(path)) return "temp";
  if (
    /^(windows|program ?files( ?\(x86\))?|programdata|boot|recovery|system volume information|perflogs)(\/|$)/.test(
      path,
    )
  ) {
    return parts.length === 1 ? "root" : "system";
  }
  if (/^windows/.test(path)) return "system";
  if (first.text.toLowerCase() === "users") {
    return parts.length === 1 || parts[1]?.isEverything ? "root" : homePlace(parts.slice(2), around);
  }
  if (/^users/.test(path) && parts.length === 1) return "home";
  for (const workspace of around.workspaces) {
    const base = workspace
      .replaceAll("\\", "/")
      .toLowerCase()
      .replace(/^[a-z]:\/*/, "");
    if (/^[a-z]:/i.test(workspace) && (path === base || path.startsWith(`${base}/`))) {
      return insidePlace(parts.slice(base.split("/").length), around);
    }
  }
  return parts.length > 1 && parts.slice(1).some(({ text }) => around.builds.has(text.toLowerCase()))
    ? "build"
    : "outside";
}
