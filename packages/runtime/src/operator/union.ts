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
    this.#watermarks[input] = timestamp;
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
    this.#tracker = new MultiInputWatermarkTracker(this.inputs.length, Number(meta['current']));
    this.#watermarks.forEach((watermark, input) => this.#tracker.update(input, watermark));
    this.#idle.forEach(
      (idle, input) => (idle || this.#ended[input] === true) && this.#tracker.markIdle(input),
    );
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
