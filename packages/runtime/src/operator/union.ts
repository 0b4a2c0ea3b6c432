import { MultiInputWatermarkTracker } from '@rs/watermark';
import type { OperatorMeta, OperatorParts } from './operator.ts';
import type { AnyReceiver, Receiver } from './receiver.ts';

/** Joins inputs: their records as they come, the minimum of their watermarks, the end when all have ended. */
export class UnionOperator implements OperatorParts {
  readonly inputs: readonly UnionInput[];
  readonly #out: AnyReceiver;
  #tracker: MultiInputWatermarkTracker;
  #watermarks: number[];
  #idle: boolean[];
  #ended: boolean[];

  constructor(out: AnyReceiver, inputs: number) {
    this.#out = out;
    this.#tracker = new MultiInputWatermarkTracker(inputs);
    this.#watermarks = Array<number>(inputs).fill(-Infinity);
    this.#idle = Array<boolean>(inputs).fill(false);
    this.#ended = Array<boolean>(inputs).fill(false);
    this.inputs = Array.from({ length: inputs }, (_, index) => new UnionInput(this, index));
  }

  record(value: unknown, timestamp: number): void {
    this.#out.record(value, timestamp, undefined);
  }

  watermark(input: number, timestamp: number): void {
    const restarts =
      timestamp < (this.#watermarks[input] ?? -Infinity) && this.#tracker.current() === Infinity;
    this.#watermarks[input] = timestamp;
    this.#idle[input] = false; // A raised watermark ends idleness.
    if (restarts) return this.#restart();
    this.#change(() => this.#tracker.update(input, timestamp));
  }

  status(input: number, idle: boolean): void {
    this.#idle[input] = idle;
    this.#change(() => (idle ? this.#tracker.markIdle(input) : this.#tracker.markActive(input)));
  }

  end(input: number): void {
    this.#ended[input] = true;
    if (this.#ended.every(Boolean)) this.#out.end();
    // An ended input is left out of the minimum; its end must not stand for inputs that are only idle.
    else this.#change(() => this.#tracker.markIdle(input));
  }

  meta(): OperatorMeta {
    return {
      watermarks: [...this.#watermarks],
      idle: [...this.#idle],
      ended: [...this.#ended],
      current: this.#tracker.current(),
    };
  }

  restore(meta: OperatorMeta): void {
    this.#watermarks = [...(meta['watermarks'] as readonly number[])];
    this.#idle = [...(meta['idle'] as readonly boolean[])];
    this.#ended = [...(meta['ended'] as readonly boolean[])];
    this.#tracker = this.#newTracker(Number(meta['current']));
  }

  /** All inputs had been flushed to the end of time, and one begins a new epoch: the only time the result falls. */
  #restart(): void {
    this.#tracker = this.#newTracker(-Infinity);
    this.#out.watermark(this.#tracker.current());
  }

  #newTracker(current: number): MultiInputWatermarkTracker {
    const tracker = new MultiInputWatermarkTracker(this.inputs.length, current);
    this.#watermarks.forEach((watermark, input) => tracker.update(input, watermark));
    this.#idle.forEach((idle, input) => (idle || this.#ended[input] === true) && tracker.markIdle(input));
    return tracker;
  }

  #change(apply: () => boolean): void {
    const wasIdle = this.#tracker.combinedIdle();
    if (apply()) this.#out.watermark(this.#tracker.current());
    const isIdle = this.#tracker.combinedIdle();
    if (isIdle !== wasIdle) this.#out.status(isIdle);
  }
}

class UnionInput implements Receiver<unknown> {
  readonly #union: UnionOperator;
  readonly #index: number;

  constructor(union: UnionOperator, index: number) {
    this.#union = union;
    this.#index = index;
  }

  record(value: unknown, timestamp: number): void {
    this.#union.record(value, timestamp);
  }

  watermark(timestamp: number): void {
    this.#union.watermark(this.#index, timestamp);
  }

  status(idle: boolean): void {
    this.#union.status(this.#index, idle);
  }

  end(): void {
    this.#union.end(this.#index);
  }
}
