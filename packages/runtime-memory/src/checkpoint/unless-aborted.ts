import type { MaybePromise } from '@rs/core';

/** Waits for something that may never end, until the signal is given. */
export async function unlessAborted(
  work: MaybePromise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let stopWaiting: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    stopWaiting = resolve;
  });
  signal?.addEventListener('abort', stopWaiting, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener('abort', stopWaiting);
  }
}
