import { MultiInputWatermarkTracker } from '@rs/watermark';
import type { OperatorMeta } from './operator.ts';
import type { AnyReceiver } from './receiver.ts';
import type { Task } from './task.ts';

export interface MergeOptions {
  /** True when an input counts as idle until its first item. Default false. */
  readonly initiallyIdle?: boolean;
  /** The operator whose facts these are, where items come to it in another order than that in which they are done. */
  readonly owner?: object;
}

/** Where several inputs become one: the minimum of their watermarks, idle when all are, the end when all have ended. */
export class Merge {
  readonly #out: AnyReceiver;
  readonly #task: Task;
  readonly #owner: object | undefined;
  #tracker: MultiInputWatermarkTracker;
  #watermarks: number[];
  #idle: boolean[];
  #ended: boolean[];

  /** @param out receives watermarks, status and end */
  constructor(task: Task, out: AnyReceiver, inputs: number, options: MergeOptions = {}) {
    const { initiallyIdle = false, owner } = options;
    this.#task = task;
    this.#out = out;
    this.#owner = owner;
    this.#watermarks = Array<number>(inputs).fill(-Infinity);
    this.#idle = Array<boolean>(inputs).fill(initiallyIdle);
    this.#ended = Array<boolean>(inputs).fill(false);
    this.#tracker = this.#newTracker(-Infinity);
  }

  /** Says so where all inputs count as idle from the beginning. */
  begin(): void {
    if (this.#tracker.combinedIdle()) this.#out.status(true);
  }

  /** A record has come in, so the input is not idle. */
  touch(input: number): void {
    if (this.#idle[input] === true) this.status(input, false);
  }

  watermark(input: number, timestamp: number): void {
    const before = this.#watermarks[input] ?? -Infinity;
    const restarts = timestamp < before && this.#tracker.current() === Infinity;
    this.#moved();
    this.#watermarks[input] = timestamp;
    if (timestamp > before || restarts) this.#idle[input] = false; // Only a raised watermark ends idleness.
    if (restarts) return this.#restart();
    const wasIdle = this.#tracker.combinedIdle();
    this.#changed(this.#tracker.update(input, timestamp), wasIdle);
  }

  status(input: number, idle: boolean): void {
    this.#moved();
    this.#idle[input] = idle;
    const wasIdle = this.#tracker.combinedIdle();
    this.#changed(idle ? this.#tracker.markIdle(input) : this.#tracker.markActive(input), wasIdle);
  }

  end(input: number): void {
    this.#moved();
    this.#ended[input] = true;
    if (this.#ended.every(Boolean)) return this.#out.end();
    // An ended input is left out of the minimum; its end must not stand for inputs that are only idle.
    const wasIdle = this.#tracker.combinedIdle();
    this.#changed(this.#tracker.markIdle(input), wasIdle);
  }

  meta(): OperatorMeta {
    return {
      watermarks: [...this.#watermarks],
      idle: [...this.#idle],
      endedInputs: [...this.#ended],
      current: this.#tracker.current(),
    };
  }

  restore(meta: OperatorMeta): void {
    this.#watermarks = [...(meta['watermarks'] as readonly number[])];
    this.#idle = [...(meta['idle'] as readonly boolean[])];
    this.#ended = [...(meta['endedInputs'] as readonly boolean[])];
    this.#tracker = this.#newTracker(Number(meta['current']));
  }

  /** All inputs had been flushed to the end of time, and one begins a new epoch: the only time the result falls. */
  #restart(): void {
    this.#tracker = this.#newTracker(-Infinity);
    this.#out.watermark(this.#tracker.current());
  }

  #newTracker(current: number): MultiInputWatermarkTracker {
    const tracker = new MultiInputWatermarkTracker(this.#watermarks.length, current);
    this.#watermarks.forEach((watermark, input) => tracker.update(input, watermark));
    // The input that is furthest behind comes last: while the others become idle it must hold the result back, as it did then.
    const inputs = [...this.#watermarks.entries()].sort(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1));
    for (const [input] of inputs)
      if (this.#idle[input] === true || this.#ended[input] === true) tracker.markIdle(input);
    return tracker;
  }

  // No closure here: behind an exchange this runs once per record and partition.
  #changed(rose: boolean, wasIdle: boolean): void {
    const repeats = this.#task.stepwise?.repeating === true;
    if (rose || repeats) this.#out.watermark(this.#tracker.current());
    const isIdle = this.#tracker.combinedIdle();
    if (isIdle !== wasIdle || repeats) this.#out.status(isIdle);
  }

  #moved(): void {
    const { stepwise } = this.#task;
    if (this.#owner !== undefined && stepwise?.keepsMoves === true) stepwise.moved(this.#owner, this.meta());
  }
}

/** One input of a {@link Merge}, as far as time goes; records are the operator's matter. */
export abstract class MergeInput {
  protected readonly merge: Merge;
  protected readonly index: number;

  constructor(merge: Merge, index: number) {
    this.merge = merge;
    this.index = index;
  }

  watermark(timestamp: number): void {
    this.merge.watermark(this.index, timestamp);
  }

  status(idle: boolean): void {
    this.merge.status(this.index, idle);
  }

  end(): void {
    this.merge.end(this.index);
  }
}
