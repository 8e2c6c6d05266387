import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The directory of the repository, without a slash at its end. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** The directories of the workspace's packages and plugins, from the root. */
export function packageFolders(): string[] {
  return ["packages", "plugins"]
    .flatMap((folder) => readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`))
    .filter((folder) => existsSync(`${root}/${folder}/package.json`));
}

/** Every source file of every package and plugin, tests left out, from the root. */
export function sourceFiles(): string[] {
  return packageFolders()
    .map((folder) => `${folder}/src`)
    .filter((folder) => existsSync(`${root}/${folder}`))
    .flatMap((folder) =>
      readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
        .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
        .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts")),
    );
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(`${root}/${path}`, "utf8")) as T;
}
