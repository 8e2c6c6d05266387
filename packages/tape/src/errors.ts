import { messageOf } from "@hooks/core";

/** Every code `@hooks/tape` can raise or report, with the fact it stands for. */
export const tapeErrorCodes = {
  HARN_E_TAPE_OPEN: "A tape cannot be created or opened where it is wanted.",
  HARN_E_TAPE_WRITE: "A tape could not be written; it takes no record after that.",
  HARN_E_TAPE_CLOSED: "A record came after the tape was closed.",
  HARN_E_TAPE_BUSY: "Another process writes the tape.",
  HARN_E_TAPE_READ: "A tape cannot be read, or is none.",
  HARN_E_TAPE_BROKEN: "A tape is not what was written.",
  HARN_E_TAPE_MASK: "A path or a pattern of the mask is not valid.",
} as const;

export type TapeErrorCode = keyof typeof tapeErrorCodes;

/** An error of a tape, with a stable code, the fact, and one remedy. */
export class TapeError extends Error {
  override readonly name = "TapeError";

  constructor(
    readonly code: TapeErrorCode,
    message: string,
    /** What to do about it, in one sentence. */
    readonly help?: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file may not grow any further",
  EROFS: "the file system is read-only",
  EIO: "the disk reports an error",
  EACCES: "permission denied",
  EEXIST: "it exists already",
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  ELOOP: "it is a symbolic link",
  ENOTDIR: "a part of its path is not a directory",
};

/** What went wrong with a file, in words where they are known. */
export function ioReason(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === "string" ? REASONS[code] : undefined;
  return reason === undefined ? messageOf(error) : `${reason} (${String(code)})`;
}
