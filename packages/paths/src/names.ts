/**
 * A path as file systems that are generous about names see it: no difference of case or of composition, no characters
 * that are not seen, no dots and spaces at the end of a name, no streams. Two paths that may be one file are the same.
 */
export function foldPath(path: string): string {
  // Most paths are plain; the rest is worth its price.
  if (/^[a-z0-9/_.-]*$/.test(path) && !/\.(?:\/|$)/.test(path)) return path;
  return path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .normalize("NFC")
    .split("/")
    .map(foldName)
    .join("/");
}

function foldName(name: string): string {
  if (/^\.*$/.test(name)) return name;
  return name.replace(/:[^:]*(?::\$[a-z]+)?$/, "").replace(/[. ]+$/, "");
}
