import {
  checkTimestamp,
  type Idleness,
  type WatermarkGenerator,
  type WatermarkOutput,
  type WatermarkValue,
} from '@rs/core';
import { IdleTracker, checkWatermark } from '@rs/watermark';
import type { Gate } from './gate.ts';
import type { OperatorMeta, OperatorParts } from './operator.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';
import { assertSync } from './sync-only.ts';

export interface TimestampsSpec<T> {
  /** `undefined`: records keep the time they carry. */
  readonly assigner: ((value: T, timestamp: number) => number) | undefined;
  /** Called for each partition, after a crash, and when a flushed input starts anew. */
  createGenerator(): WatermarkGenerator<T>;
  readonly idleness: Idleness | undefined;
}

/**
 * Gives records event times and makes watermarks; those from upstream end here.
 *
 * The generator is not part of the committed state, the emitted watermark is: after a crash a new generator starts, and
 * the watermark only rises from where it was, which is the same for every generator that looks at the maximum.
 */
export class TimestampsOperator<T> implements Receiver<T>, WatermarkOutput, OperatorParts {
  readonly inputs = [this];
  readonly #gate: Gate;
  readonly #out: AnyReceiver;
  readonly #target: AnyReceiver;
  readonly #spec: TimestampsSpec<T>;
  #generator: WatermarkGenerator<T>;
  #idle: IdleTracker | undefined;
  /** What was passed on; never falls, but for the first record after a flush. */
  #watermark = -Infinity;
  /** What the generator has emitted. */
  #generated = -Infinity;
  #quiet = false;
  /** True once the generator has seen a record. */
  #fed = false;
  /** The end is the last word about time: whoever merges this input must not wait for it again. */
  #ended = false;

  constructor(gate: Gate, out: AnyReceiver, spec: TimestampsSpec<T>) {
    this.#gate = gate;
    this.#out = out;
    this.#target = watermarkTarget(out);
    this.#spec = spec;
    this.#generator = this.#newGenerator();
    this.#idle = spec.idleness === undefined ? undefined : new IdleTracker(spec.idleness);
  }

  record(value: T, timestamp: number, key: unknown): void {
    let time = timestamp;
    try {
      const { assigner } = this.#spec;
      if (assigner !== undefined) time = checkTimestamp(assigner(value, timestamp), this.#gate.operator);
    } catch (error) {
      throw this.#gate.failed(error);
    }
    if (this.#idle?.startsEpoch(this.#watermark) === true) this.#startEpoch();
    this.#fed = true;
    try {
      this.#assertNothing(this.#generator.onEvent(value, time, this));
      this.#assertNothing(this.#generator.onPeriodicEmit(this));
    } catch (error) {
      throw this.#gate.failed(error);
    }
    if (this.#idle !== undefined) this.#noteRecord(this.#idle);
    this.#out.record(value, time, key);
  }

  emitWatermark(watermark: WatermarkValue): void {
    if (watermark === undefined || watermark === null) return; // Nothing is no watermark.
    const time = typeof watermark === 'number' ? watermark : watermark.timestamp;
    if (time <= this.#generated) return;
    this.#moved();
    this.#generated = Number.isSafeInteger(time) ? time : checkWatermark(time, this.#gate.operator);
    if (this.#quiet) this.#setQuiet(false);
    this.#raise(time);
  }

  /** A generator answers at once; one that is asynchronous would move time at some later record. */
  #assertNothing(result: unknown): void {
    if (result !== undefined) assertSync(`watermark generator of ${this.#gate.operator}`, result);
  }

  markIdle(): void {
    this.#setQuiet(true);
  }

  markActive(): void {
    this.#setQuiet(false);
  }

  watermark(): void {
    // Watermarks from upstream are replaced by those made here.
  }

  /** An input that is known to be quiet makes no watermarks; only its next record, or word of it, ends that. */
  status(idle: boolean): void {
    this.#setQuiet(idle);
  }

  /** Time is known to have come this far, whatever the generator has seen. */
  advance(timestamp: number): void {
    this.#moved();
    this.#raise(timestamp);
    // A raised watermark ends idleness, but this is no word of the input.
    if (this.#quiet && !this.#ended) this.#out.status(true);
  }

  /** Says again how far time has come, for those who have not heard of it. */
  repeat(): void {
    if (this.#ended) return this.#out.end();
    if (this.#watermark > -Infinity) this.#out.watermark(this.#watermark);
    if (this.#quiet) this.#out.status(true);
  }

  end(): void {
    this.#moved();
    this.#ended = true;
    this.#out.end();
  }

  /** The driver has nothing to read (`true`), or has again: only waiting counts as quiet time. */
  setWaiting(waiting: boolean, now: number): void {
    if (waiting) this.#idle?.resume(now);
    else this.#idle?.suspend(now);
  }

  checkIdle(now: number): void {
    const decision = this.#idle?.tick(now);
    if (decision?.kind === 'raise') {
      this.#moved();
      this.#raise(decision.watermark);
    }
    if (decision?.kind === 'idle') this.#setQuiet(true);
  }

  /** Milliseconds without a record that make the input idle; `undefined` when it never becomes idle. */
  get idleTimeout(): number | undefined {
    return this.#spec.idleness?.timeout;
  }

  meta(): OperatorMeta {
    return { watermark: this.#watermark, generated: this.#generated, quiet: this.#quiet, ended: this.#ended };
  }

  restore(meta: OperatorMeta): void {
    this.#watermark = Number(meta['watermark']);
    this.#generated = Number(meta['generated']);
    this.#quiet = meta['quiet'] === true;
    this.#ended = meta['ended'] === true;
    if (this.#fed) this.#generator = this.#newGenerator();
    this.#fed = false;
    const { idleness } = this.#spec;
    this.#idle = idleness === undefined ? undefined : new IdleTracker(idleness, this.#generated);
  }

  #raise(time: number): void {
    if (time <= this.#watermark || this.#ended) return;
    this.#watermark = time;
    if (this.#gate.task.attention) this.#out.watermark(time);
    else this.#target.watermark(time);
  }

  #setQuiet(quiet: boolean): void {
    if (this.#ended || (quiet === this.#quiet && this.#gate.task.stepwise?.repeating !== true)) return;
    this.#moved();
    this.#quiet = quiet;
    this.#out.status(quiet);
  }

  /** To be called before anything changes that is committed. */
  #moved(): void {
    const { stepwise } = this.#gate.task;
    if (stepwise?.keepsMoves === true) stepwise.moved(this, this.meta());
  }

  #noteRecord(idle: IdleTracker): void {
    if (idle.onRecord(this.#gate.task.options.clock.now(), this.#generated)) this.#setQuiet(false);
  }

  #startEpoch(): void {
    this.#moved();
    this.#watermark = -Infinity;
    this.#out.watermark(-Infinity); // The generator need not emit for each record.
    this.#generated = -Infinity;
    this.#generator = this.#newGenerator();
  }

  #newGenerator(): WatermarkGenerator<T> {
    try {
      return this.#spec.createGenerator();
    } catch (error) {
      throw this.#gate.failed(error); // The factory is the user's.
    }
  }
}
