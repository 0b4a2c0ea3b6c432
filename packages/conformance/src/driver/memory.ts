import { defineJob, silentLogger } from '@rs/core';
import { type MemoryEnvironmentOptions, StreamExecutionEnvironment } from '@rs/runtime-memory';
import { Collector } from '../collector.ts';
import type { Driver } from '../driver.ts';
import { topicsOf, type Variant } from '../variant.ts';

/** The memory engine by `executeAsync`: all sinks in one pass, waiting where the job does. */
export const memoryAsync: Driver = {
  name: 'memory async',
  supports: () => true,
  async run(variant, signal) {
    const env = StreamExecutionEnvironment.getExecutionEnvironment(optionsOf(variant));
    const collector = new Collector();
    const job = defineJob((streams) => variant.define(streams, collector.sinkTo()));
    const { metrics } = await env.executeAsync(job, { signal });
    return { sinks: collector.sinks, late: metrics.lateRecordsByOperator };
  },
};

/** The memory engine in the calling stack: `addSink` runs the pipeline up to the sink, and so once for each sink. */
export const memoryEager: Driver = {
  name: 'memory eager',
  supports: ({ async }) => async !== true,
  async run(variant) {
    const env = StreamExecutionEnvironment.getExecutionEnvironment(optionsOf(variant));
    const collector = new Collector();
    const late: Record<string, number> = {};
    let before = env.metrics().lateRecordsByOperator;
    const sinkTo = collector.sinkTo((attach) => {
      attach();
      const after = env.metrics().lateRecordsByOperator;
      // Operators before several sinks run again for each; every run counts the same.
      for (const [operator, count] of Object.entries(after)) {
        late[operator] = Math.max(late[operator] ?? 0, count - (before[operator] ?? 0));
      }
      before = after;
    });
    variant.define(env, sinkTo);
    return { sinks: collector.sinks, late };
  },
};

function optionsOf({ topics, messages, settings }: Variant): MemoryEnvironmentOptions {
  return { ...settings, topics: topicsOf(topics, messages), logger: silentLogger };
}
