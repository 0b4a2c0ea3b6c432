import { defineJob, type JobDefinition, type TwoPhaseCommitSink, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';

/** How many numbers the job reads. */
const NUMBERS = 100;

export interface NumbersHooks {
  /** Called in the source, before a number is collected. */
  read?(n: number): Promise<void>;
  /** Called for each number that is processed. */
  process?(n: number): void;
}

/** Sums of the numbers 0, 1, 2, … by key, windows over them, and timers. */
export function numbersJob<Txn>(
  sink: TwoPhaseCommitSink<string, Txn>,
  hooks: NumbersHooks = {},
): JobDefinition {
  return defineJob((env) => {
    const keyed = env
      .addSource<number>(
        {
          async run(ctx) {
            for (let n = 0; n < NUMBERS; n++) {
              await hooks.read?.(n);
              await ctx.collectWithTimestamp(n, 10 * n);
            }
          },
        },
        { uid: 'numbers' },
      )
      .map((n) => {
        hooks.process?.(n);
        return n;
      })
      .assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness(25))
      .keyBy((n) => `k${n % 3}`, { uid: 'key' });
    const sum = valueState('sum', { default: () => 0 });
    const sums = keyed.process<string>(
      {
        open: (ctx) => void ctx.state(sum),
        processElement: (key, n, ctx, out) => {
          ctx.state(sum).update(ctx.state(sum).value() + n);
          if (n % 7 === 0) ctx.registerEventTimeTimer(10 * n + 40);
          out.collect(`${key} ${ctx.state(sum).value()}`);
        },
        onEventTime: (time, key, ctx, out) => out.collect(`${key} @${time} ${ctx.state(sum).value()}`),
      },
      { uid: 'sums' },
    );
    const windows = keyed
      .window(TumblingWindow.of(150))
      .apply<string>((key, { start }, elements, out) => out.collect(`${key} ${start} ${elements.join()}`), {
        uid: 'windows',
      });
    sums.union([windows], { uid: 'both' }).addSink(sink, { uid: 'sink' });
  });
}
