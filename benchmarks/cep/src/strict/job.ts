import { CEP } from '@rs/cep';
import { defineJob } from '@rs/core';
import { StreamExecutionEnvironment } from '@rs/runtime-memory';
import { WatermarkStrategy } from '@rs/watermark';
import type { Step } from './input.ts';
import { abc } from './pattern.ts';
import { Tally } from './tally.ts';

/**
 * The pattern as a part of a job, in event time: each event waits in state for the watermark, and all that has begun is keyed
 * state.
 */
export async function findByJob(steps: readonly Step[]): Promise<Tally> {
  const tally = new Tally();
  const job = defineJob((env) => {
    const keyed = env
      .addSource<Step>({
        run: async (ctx) => {
          for (const step of steps) await ctx.collectWithTimestamp(step, step.id);
        },
      })
      .assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness(0))
      .keyBy(({ key }) => key);
    CEP.pattern(keyed, abc)
      .select(({ events }) => events)
      .addSink(({ a, b, c }) => tally.add(a[0], b[0], c[0]));
  });
  await StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(job);
  return tally;
}
