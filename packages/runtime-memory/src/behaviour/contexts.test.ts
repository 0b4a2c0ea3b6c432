import { describe, expect, test } from '@jest/globals';
import { type Collector, type KeyedProcessFunction, type ProcessContext, valueState } from '@rs/core';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';

describe.each(MODES)('contexts, %s', (mode) => {
  async function untimed(values: readonly string[], fn: KeyedProcessFunction<string, string, string>) {
    const out: string[] = [];
    await run(mode, (env) =>
      env
        .fromCollection(values)
        .keyBy(() => 'k')
        .process(fn)
        .addSink((v) => void out.push(v)),
    );
    return out;
  }

  test('the context and the collector of a record are closed with it', async () => {
    const kept: [ProcessContext<string>, Collector<string>][] = [];
    const refusals: unknown[] = [];
    const count = valueState('count', { default: () => 0 });
    const uses = (ctx: ProcessContext<string>, collector: Collector<string>) => [
      () => collector.collect('x'),
      () => ctx.currentEventTime(),
      () => ctx.currentProcessingTime(),
      () => ctx.currentWatermark(),
      () => ctx.key,
      () => ctx.registerEventTimeTimer(1),
      () => ctx.deleteEventTimeTimer(1),
      () => ctx.state(count),
    ];
    const out = await untimed(['a', 'b'], {
      open: (ctx) => void ctx.state(count),
      processElement(_key, _value, ctx, collector) {
        for (const [oldContext, oldCollector] of kept) {
          for (const use of uses(oldContext, oldCollector)) {
            try {
              use();
            } catch (error) {
              refusals.push(error);
            }
          }
        }
        kept.push([ctx, collector]);
      },
    });
    expect(out).toEqual([]);
    expect(refusals).toEqual(Array(8).fill(coded('RS_CONTEXT_CLOSED')));
  });
});
