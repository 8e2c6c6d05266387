export const guard = (): { deny: string } => ({ deny: new URL(import.meta.url).pathname.split("/").at(-1) ?? "" });
