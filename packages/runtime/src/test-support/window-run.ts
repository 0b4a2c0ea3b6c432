import { type LatenessMode, outputTag, type Trigger, type WindowAssigner } from '@rs/core';
import { JobRun, type JobRunOptions } from './job-run.ts';

export interface Item {
  readonly key: string;
  readonly n: number;
}

export interface WindowRunOptions extends JobRunOptions {
  readonly trigger?: Trigger<Item>;
  readonly lateness?: number;
  readonly latenessMode?: LatenessMode;
  /** `elements`: windows keep all elements; `sum`: they keep the sum of `n`. Default `elements`. */
  readonly keep?: 'elements' | 'sum';
}

const late = outputTag<Item>('late');

/**
 * A window operation. Its results are texts such as `k [0,10) 1,2`: key, window, and the elements' `n` in their order,
 * or their sum. Late records go to the output `late`, as `k 3`.
 */
export class WindowRun extends JobRun<Item> {
  constructor(assigner: WindowAssigner<Item>, options: WindowRunOptions = {}) {
    const { trigger, lateness = 0, latenessMode = 'refire', keep = 'elements' } = options;
    super((input) => {
      const keyed = input.keyBy(({ key }) => key).window(assigner);
      const triggered = trigger === undefined ? keyed : keyed.trigger(trigger);
      // No record is late for windows on processing time: they refuse options about late data.
      const hasLate = assigner.timeDomain === 'event';
      const windowed = hasLate
        ? triggered.allowedLateness(lateness, { mode: latenessMode }).sideOutputLateData(late)
        : triggered;
      const main =
        keep === 'sum'
          ? windowed.aggregate<number, number, string>(
              {
                createAccumulator: () => 0,
                add: ({ n }, sum) => sum + n,
                getResult: (sum) => sum,
                merge: (a, b) => a + b,
              },
              (sum, { key, window }) => `${key} [${window.start},${window.end}) ${sum}`,
            )
          : windowed.apply<string>((key, window, elements, out) =>
              out.collect(`${key} [${window.start},${window.end}) ${elements.map(({ n }) => n).join()}`),
            );
      if (!hasLate) return { main };
      return { main, late: main.getSideOutput(late).map(({ key, n }) => `${key} ${n}`) };
    }, options);
  }

  /** Adds an element. */
  add(key: string, n: number, timestamp: number): this {
    return this.feed([{ key, n }, timestamp]);
  }

  /** Results since the last call. */
  results(): unknown[] {
    return this.output()
      .records.splice(0)
      .map(([value]) => value);
  }
}
