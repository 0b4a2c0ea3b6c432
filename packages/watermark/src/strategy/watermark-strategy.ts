import {
  RsError,
  checkTimestamp,
  durationToMillis,
  type Duration,
  type Idleness,
  type TimestampAssigner,
  type TimestampsAndWatermarks,
  type WatermarkGenerator,
} from '@rs/core';
import { AscendingTimestampWatermarkGenerator } from '../generator/ascending-timestamps.ts';
import { BoundedOutOfOrdernessWatermarkGenerator } from '../generator/bounded-out-of-orderness.ts';
import { NoWatermarkGenerator } from '../generator/no-watermarks.ts';
import { IDLENESS_DEFAULTS, idlenessOf, type IdlenessOptions } from '../idleness/idleness.ts';
import { checkedGeneratorFactory } from './generator-factory.ts';

/**
 * How a stream gets its event times and watermarks: a kind of generator, and optionally an assigner of timestamps and
 * a rule for silence. Immutable; the `with…` methods return a new strategy.
 *
 * In a chain call `withTimestampAssigner` last: only there can the type of the stream's records reach the assigner.
 */
export class WatermarkStrategy<T> implements TimestampsAndWatermarks<T> {
  /** What happens when a partition stays quiet; `undefined`: nothing. */
  readonly idleness: Idleness | undefined;
  readonly #createGenerator: () => WatermarkGenerator<T>;
  readonly #assigner: TimestampAssigner<T> | undefined;

  private constructor(
    createGenerator: () => WatermarkGenerator<T>,
    assigner: TimestampAssigner<T> | undefined,
    idleness: Idleness | undefined,
  ) {
    this.#createGenerator = createGenerator;
    this.#assigner = assigner;
    this.idleness = idleness;
    Object.freeze(this);
  }

  /** For timestamps that never go back within a partition: the watermark is the highest one − 1. */
  static forMonotonousTimestamps<T>(): WatermarkStrategy<T> {
    return WatermarkStrategy.forGenerator(() => new AscendingTimestampWatermarkGenerator<T>());
  }

  /**
   * For records that come at most `outOfOrderness` after a newer one: the watermark is the highest timestamp −
   * `outOfOrderness` − 1. Records that come later still may be late.
   *
   * @throws RsError `RS_INVALID_DURATION` when it is negative or malformed
   */
  static forBoundedOutOfOrderness<T>(outOfOrderness: Duration): WatermarkStrategy<T> {
    const millis = durationToMillis(outOfOrderness, 'outOfOrderness');
    return WatermarkStrategy.forGenerator(() => new BoundedOutOfOrdernessWatermarkGenerator<T>(millis));
  }

  /**
   * For a generator of your own. The factory is called once per partition and run.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` when `factory` is not a function
   */
  static forGenerator<T>(factory: () => WatermarkGenerator<T>): WatermarkStrategy<T> {
    return new WatermarkStrategy(checkedGeneratorFactory(factory), undefined, undefined);
  }

  /** No watermarks: event-time windows and timers wait for the end of the input. */
  static noWatermarks<T>(): WatermarkStrategy<T> {
    return WatermarkStrategy.forGenerator(() => new NoWatermarkGenerator<T>());
  }

  /**
   * A new generator without history.
   *
   * @throws RsError `RS_GENERATOR_REUSED` when the factory returns one that it has returned before,
   *   `RS_INVALID_ARGUMENT` when it returns something else than a generator
   */
  createWatermarkGenerator(): WatermarkGenerator<T> {
    return this.#createGenerator();
  }

  /** The assigner; `undefined` when records keep the timestamps they have. */
  getTimestampAssigner(): TimestampAssigner<T> | undefined {
    return this.#assigner;
  }

  /**
   * The record's event time: what the assigner says, or else `recordTimestamp`.
   *
   * @throws RsError `RS_INVALID_TIMESTAMP` when the assigner returns anything but an integer of milliseconds; it must be synchronous
   */
  extractTimestamp(event: T, recordTimestamp: number): number {
    const assigner = this.#assigner;
    if (assigner === undefined) return recordTimestamp;
    const timestamp = assigner(event, recordTimestamp);
    silenceRejection(timestamp);
    return checkTimestamp(timestamp, 'timestamp assigner');
  }

  /**
   * The same strategy, with event times read by `assigner`. It narrows to the assigner's record type.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` when `assigner` is not a function
   */
  withTimestampAssigner<E extends T = T>(assigner: TimestampAssigner<E>): WatermarkStrategy<E> {
    if (typeof assigner !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `WatermarkStrategy.withTimestampAssigner needs a function (element, recordTimestamp) => milliseconds, got ${typeof assigner}`,
      );
    }
    return new WatermarkStrategy<E>(this.#createGenerator, assigner, this.idleness);
  }

  /**
   * The same strategy, with a rule for partitions that stay quiet. Without one, windows wait for the next record.
   *
   * @param timeout how long without a record until a partition counts as idle; only time in which the engine was
   *   waiting for records counts
   * @throws RsError `RS_INVALID_DURATION` when `timeout` is not at least 1 ms, `RS_INVALID_ARGUMENT` for an unknown mode
   */
  withIdleness(timeout: Duration, options: IdlenessOptions = IDLENESS_DEFAULTS): WatermarkStrategy<T> {
    return new WatermarkStrategy(this.#createGenerator, this.#assigner, idlenessOf(timeout, options.mode));
  }
}

/** An async assigner is refused for its record; should it also reject, that must not end the process. */
function silenceRejection(result: unknown): void {
  if (result instanceof Promise) result.catch(() => undefined);
}
