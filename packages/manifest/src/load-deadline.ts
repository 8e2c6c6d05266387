/** How long a module may take to load unless the host says otherwise. */
export const LOAD_TIMEOUT_MS = 10_000;

/** A module that never finishes loading must not hang the agent that waits for its policy. */
export async function withLoadDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not loaded within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
