import {
  type Clock,
  type Duration,
  durationToMillis,
  type IdleMode,
  type Idleness,
  positiveDurationToMillis,
  type WatermarkGenerator,
  type WatermarkOutput,
} from '@rs/core';
import type { TimestampsSpec } from '../operator/timestamps.ts';
import { checkChoice } from './checks.ts';

/** How watermarks are made where a stream does not say so itself. */
export interface WatermarkOptions {
  /** How far messages of a topic's partition may be behind its newest one without being late. Default 0. */
  readonly watermarkOutOfOrderness?: Duration;
  /** Time without a record after which a partition counts as idle, unless a strategy says otherwise; 0: never does. Default 0. */
  readonly watermarkIdleTimeout?: Duration;
  /** What happens then, see {@link IdleMode}. Default `advance`. */
  readonly watermarkIdleMode?: IdleMode;
  /**
   * A record whose time is further ahead of the clock than this does not move the watermark, so that one wrong clock does
   * not make everything after it late. Default: every record does.
   */
  readonly maxFutureSkew?: Duration;
}

/** {@link WatermarkOptions}, checked. Milliseconds. */
export interface WatermarkDefaults {
  readonly outOfOrderness: number;
  readonly idleness: Idleness | undefined;
  readonly maxFutureSkew: number | undefined;
}

/** @throws RsError `RS_INVALID_DURATION`, `RS_INVALID_ARGUMENT` */
export function watermarkDefaults(options: WatermarkOptions): WatermarkDefaults {
  const {
    watermarkOutOfOrderness = 0,
    watermarkIdleTimeout = 0,
    watermarkIdleMode = 'advance',
    maxFutureSkew,
  } = options;
  const timeout = durationToMillis(watermarkIdleTimeout, 'watermarkIdleTimeout');
  checkChoice(watermarkIdleMode, ['advance', 'hold', 'flush'], 'watermarkIdleMode');
  return Object.freeze({
    outOfOrderness: durationToMillis(watermarkOutOfOrderness, 'watermarkOutOfOrderness'),
    idleness: timeout === 0 ? undefined : Object.freeze({ timeout, mode: watermarkIdleMode }),
    maxFutureSkew:
      maxFutureSkew === undefined ? undefined : positiveDurationToMillis(maxFutureSkew, 'maxFutureSkew'),
  });
}

/** A spec with what the environment says where it says nothing. */
export function withDefaults<T>(
  spec: TimestampsSpec<T>,
  { idleness, maxFutureSkew }: WatermarkDefaults,
  clock: Clock,
): TimestampsSpec<T> {
  if (idleness === undefined && maxFutureSkew === undefined) return spec;
  const createGenerator =
    maxFutureSkew === undefined
      ? () => spec.createGenerator()
      : () => new SkewGuard(spec.createGenerator(), maxFutureSkew, clock);
  return { assigner: spec.assigner, createGenerator, idleness: spec.idleness ?? idleness };
}

/** Keeps records from a generator whose time is too far ahead. They are processed as any other. */
class SkewGuard<T> implements WatermarkGenerator<T> {
  readonly #generator: WatermarkGenerator<T>;
  readonly #skew: number;
  readonly #clock: Clock;

  constructor(generator: WatermarkGenerator<T>, skew: number, clock: Clock) {
    this.#generator = generator;
    this.#skew = skew;
    this.#clock = clock;
  }

  onEvent(event: T, timestamp: number, output: WatermarkOutput): void {
    if (timestamp > this.#clock.now() + this.#skew) return;
    // What it returns is looked at by the operator: a promise is refused.
    return this.#generator.onEvent(event, timestamp, output);
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    return this.#generator.onPeriodicEmit(output);
  }
}
