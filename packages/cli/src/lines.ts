/** A line that came in; one that is too long has no text. */
export interface Line {
  readonly number: number;
  readonly text: string | null;
}

const MAX_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Splits bytes into lines as they arrive. A line above the limit is read to its end and given without its text. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, most = MAX_BYTES): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  const take = (): Line => {
    const text = size > most ? null : decode(parts);
    parts = [];
    size = 0;
    return { number: ++number, text };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (size > 0) yield take();

  function keep(part: Uint8Array): void {
    size += part.length;
    if (size > most) parts = [];
    else if (part.length > 0) parts.push(part);
  }
}

// Bytes that are no UTF-8 become a character no policy could have been written for: they are refused, not repaired.
function decode(parts: readonly Uint8Array[]): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    return null;
  }
}
