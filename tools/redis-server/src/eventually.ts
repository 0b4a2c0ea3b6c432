import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

export interface EventuallyOptions {
  /** Milliseconds until it is given up. Default 20 s. */
  readonly timeout?: number;
  /**
   * Which errors of the probe count as "not yet". Default: all, since servers that start or change roles refuse
   * connections and commands.
   */
  readonly tolerate?: (error: unknown) => boolean;
}

/**
 * Asks again and again until `probe` gives something other than undefined.
 *
 * @param what completes the message "Waited 20 s in vain for …"
 * @throws Error when the time is over, with the last error of the probe as its cause
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  { timeout = 20_000, tolerate = () => true }: EventuallyOptions = {},
): Promise<T> {
  const deadline = AbortSignal.timeout(timeout);
  for (;;) {
    let failure: unknown;
    try {
      const found = await probe();
      if (found !== undefined) return found;
    } catch (error) {
      if (!tolerate(error)) throw error;
      failure = error;
    }
    if (deadline.aborted)
      throw new Error(`Waited ${timeout / 1000} s in vain for ${what}`, { cause: failure });
    await delay(POLL_MS);
  }
}
