import * as crypto from "node:crypto";

// One call without an object in between takes two thirds of the time; the first versions of Node 20 do not have it.
const { hash } = crypto as { hash?: typeof crypto.hash };

/** The SHA-256 of a text or of bytes, in hexadecimal. */
export const sha256: (data: string | Uint8Array) => string =
  hash === undefined
    ? (data) => crypto.createHash("sha256").update(data).digest("hex")
    : (data) => hash("sha256", data, "hex");
