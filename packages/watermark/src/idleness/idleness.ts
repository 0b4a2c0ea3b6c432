import { RsError, positiveDurationToMillis, type Duration, type IdleMode, type Idleness } from '@rs/core';

export interface IdlenessOptions {
  /**
   * `advance`: the watermark follows the clock, so that windows close when their time has passed; `hold`: it stays and
   * the partition no longer holds others back; `flush`: it jumps to the end of time, fires everything, and the next
   * record starts anew. Default `advance`.
   */
  readonly mode?: IdleMode;
}

export const IDLENESS_DEFAULTS = { mode: 'advance' } as const satisfies Required<IdlenessOptions>;

const MODES: readonly string[] = ['advance', 'hold', 'flush'] satisfies readonly IdleMode[];

/**
 * Checked, immutable {@link Idleness}.
 *
 * @throws RsError `RS_INVALID_DURATION` when the timeout is not at least 1 ms, `RS_INVALID_ARGUMENT` for an unknown mode
 */
export function idlenessOf(timeout: Duration, mode: IdleMode = IDLENESS_DEFAULTS.mode): Idleness {
  if (!MODES.includes(mode)) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `idleness: mode must be 'advance', 'hold' or 'flush', got ${typeof mode === 'string' ? `'${mode}'` : typeof mode}`,
      { details: { received: mode } },
    );
  }
  return Object.freeze({ timeout: positiveDurationToMillis(timeout, 'idle timeout'), mode });
}
