import { MAX_TIMESTAMP, MIN_TIMESTAMP, type IdleMode, type Idleness } from '@rs/core';
import { checkWatermark } from '../check-watermark.ts';
import { idlenessOf } from './idleness.ts';

/**
 * What a quiet partition calls for now. It names a state, not a change: asking again, or acting on it again, does no harm.
 *
 * - `active`: nothing, there was a record less than the timeout ago.
 * - `idle`: leave the partition out of minima; its watermark stays.
 * - `raise`: raise its watermark to `watermark` if that is higher; the partition stays in minima.
 */
export type IdleDecision =
  | { readonly kind: 'active' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'raise'; readonly watermark: number };

const ACTIVE: IdleDecision = { kind: 'active' };
const IDLE: IdleDecision = { kind: 'idle' };
const FLUSH: IdleDecision = { kind: 'raise', watermark: MAX_TIMESTAMP };

/**
 * Decides what happens to a partition's watermark when no records come. It has no timer and no clock: the loop that
 * owns the partition tells it the time, in whole milliseconds.
 *
 * Only quiet time counts: from {@link resume} to {@link suspend}, since the last record. The loop resumes it while it
 * waits at the end of its log, and suspends it while it is behind, paused, retrying or back-pressured, because then
 * silence says nothing about the source. It starts suspended and is made anew with every acquisition of a partition.
 *
 * A clock that is set back adds no quiet time and takes none away.
 */
export class IdleTracker {
  readonly #timeout: number;
  readonly #mode: IdleMode;
  #watermarkAtLastRecord: number;
  #raisedTo = MIN_TIMESTAMP;
  #quiet = 0;
  #counting = false;
  #countedUntil = 0;

  /**
   * @param restoredWatermark the watermark the partition resumes with; `advance` continues from it until a record comes
   * @throws RsError `RS_INVALID_DURATION`, `RS_INVALID_ARGUMENT` or `RS_INVALID_TIMESTAMP` for a bad timeout, mode or watermark
   */
  constructor(idleness: Idleness, restoredWatermark: number = MIN_TIMESTAMP) {
    const { timeout, mode } = idlenessOf(idleness.timeout, idleness.mode);
    this.#timeout = timeout;
    this.#mode = mode;
    this.#watermarkAtLastRecord = checkWatermark(restoredWatermark, 'IdleTracker');
  }

  /**
   * True when a record that comes at `watermark` starts a new epoch, because a flush has moved the watermark to the end
   * of time. Then, before the generator sees the record, put the watermark back to `-Infinity` and take a new
   * generator: the only time a watermark may fall.
   *
   * Derived from the watermark alone, so that it also holds after a restart and when a batch is run again.
   */
  startsEpoch(watermark: number): boolean {
    return this.#mode === 'flush' && watermark === MAX_TIMESTAMP;
  }

  /**
   * A record has passed the generator. One reading of the clock may serve a whole batch.
   *
   * @param generatedWatermark the highest watermark that the generator has emitted. What the clock has added is not
   *   part of it: else a source that turns out to lag would be pushed ahead of its own records at the next silence.
   * @returns true when the record ends an idle period, so that the partition counts in minima again
   */
  onRecord(now: number, generatedWatermark: number): boolean {
    const wasIdle = this.#quiet >= this.#timeout;
    this.#quiet = 0;
    this.#countedUntil = now;
    this.#watermarkAtLastRecord = generatedWatermark;
    return wasIdle;
  }

  /** Quiet time stops counting; what has been counted is kept. */
  suspend(now: number): void {
    this.#count(now);
    this.#counting = false;
  }

  /** Quiet time counts from `now` on. */
  resume(now: number): void {
    this.#count(now);
    this.#counting = true;
    this.#countedUntil = now;
  }

  /** What to do at `now`. Ask several times per timeout; a tenth of it, at most a second, is a good interval. */
  tick(now: number): IdleDecision {
    this.#count(now);
    if (this.#quiet < this.#timeout) return ACTIVE;
    switch (this.#mode) {
      case 'advance':
        return this.#advance();
      case 'hold':
        return IDLE;
      case 'flush':
        return FLUSH;
    }
  }

  #count(now: number): void {
    if (!this.#counting) return;
    if (now > this.#countedUntil) this.#quiet += now - this.#countedUntil;
    this.#countedUntil = now;
  }

  #advance(): IdleDecision {
    // Without a watermark there is nothing that could follow the clock, and waiting for it would block the others.
    if (!Number.isFinite(this.#watermarkAtLastRecord)) return IDLE;
    const followed = Math.min(this.#watermarkAtLastRecord + this.#quiet, Number.MAX_SAFE_INTEGER);
    this.#raisedTo = Math.max(this.#raisedTo, followed);
    return { kind: 'raise', watermark: this.#raisedTo };
  }
}
