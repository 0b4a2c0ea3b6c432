import { MAX_TIMESTAMP, MIN_TIMESTAMP, RsError } from '@rs/core';
import { checkWatermark } from '../check-watermark.ts';

/**
 * The watermark where several inputs meet: the minimum over the inputs that are not idle.
 *
 * It never falls: an input that comes back with a lower watermark does not pull it down (its records are then late),
 * and it stays where it is while all inputs are idle. All inputs start active at `-Infinity`.
 *
 * Every method that changes something returns whether the combined watermark rose.
 */
export class MultiInputWatermarkTracker {
  readonly #watermarks: Float64Array;
  readonly #idle: Uint8Array;
  #activeInputs: number;
  #current: number;

  /**
   * @param restored the combined watermark to go on from after a restart; it does not fall below that
   * @throws RsError `RS_INVALID_ARGUMENT` unless `inputs` is an integer ≥ 1, `RS_INVALID_TIMESTAMP` for a bad watermark
   */
  constructor(inputs: number, restored: number = MIN_TIMESTAMP) {
    if (!Number.isSafeInteger(inputs) || inputs < 1) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `MultiInputWatermarkTracker: the number of inputs must be an integer ≥ 1, got ${String(inputs)}`,
        { details: { received: inputs } },
      );
    }
    this.#watermarks = new Float64Array(inputs).fill(MIN_TIMESTAMP);
    this.#idle = new Uint8Array(inputs);
    this.#activeInputs = inputs;
    this.#current = checkWatermark(restored, 'MultiInputWatermarkTracker');
  }

  /**
   * Raises the watermark of `input`; a value that is not above its current one is ignored. Raising it also ends the
   * input's idleness.
   *
   * @throws RsError `RS_INVALID_TIMESTAMP` when it is no watermark, `RS_INVALID_ARGUMENT` for an unknown input
   */
  update(input: number, watermark: number): boolean {
    const previous = this.#watermarkOf(input);
    if (watermark <= previous) return false;
    this.#watermarks[input] = checkWatermark(watermark, 'MultiInputWatermarkTracker.update');
    const cameBack = this.#setIdle(input, 0);
    // Another active input is at or below the combined watermark, and still holds it there.
    if (!cameBack && previous > this.#current) return false;
    return this.#combine();
  }

  /** Leaves `input` out of the minimum. @throws RsError `RS_INVALID_ARGUMENT` for an unknown input */
  markIdle(input: number): boolean {
    this.#watermarkOf(input);
    return this.#setIdle(input, 1) && this.#combine();
  }

  /** Takes `input` into the minimum again. @throws RsError `RS_INVALID_ARGUMENT` for an unknown input */
  markActive(input: number): boolean {
    this.#watermarkOf(input);
    return this.#setIdle(input, 0) && this.#combine();
  }

  /** The combined watermark. */
  current(): number {
    return this.#current;
  }

  /** True while all inputs are idle: then whatever they feed is idle too. */
  combinedIdle(): boolean {
    return this.#activeInputs === 0;
  }

  #watermarkOf(input: number): number {
    const watermark = this.#watermarks[input];
    if (watermark !== undefined) return watermark;
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `MultiInputWatermarkTracker: inputs are numbered from 0 to ${this.#watermarks.length - 1}, got ${String(input)}`,
      { details: { received: input, inputs: this.#watermarks.length } },
    );
  }

  /** Returns whether the flag changed. */
  #setIdle(input: number, idle: 0 | 1): boolean {
    if (this.#idle[input] === idle) return false;
    this.#idle[input] = idle;
    this.#activeInputs += idle === 1 ? -1 : 1;
    return true;
  }

  #combine(): boolean {
    if (this.#activeInputs === 0) return false;
    let minimum = MAX_TIMESTAMP;
    let input = 0;
    for (const watermark of this.#watermarks) {
      if (this.#idle[input] === 0 && watermark < minimum) minimum = watermark;
      input += 1;
    }
    if (minimum <= this.#current) return false;
    this.#current = minimum;
    return true;
  }
}
