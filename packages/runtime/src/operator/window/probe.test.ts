import { expect, test } from '@jest/globals';
import { TumblingWindow, SlidingWindow, SessionWindow, CountTrigger } from '@rs/window';
import { JobRun } from '../../test-support/job-run.ts';
import { valueState } from '@rs/core';

test('refire at cleanup', () => {
  const run = new JobRun<number>((input) => input.keyBy(() => 'k').window(TumblingWindow.of(10)).allowedLateness(5).count());
  run.feed([1, 1], [2, 2]).watermark(9);
  expect(run.output().records).toEqual([[2, 9]]);
  run.watermark(20);
  console.log(run.output().trace, run.leftovers());
});
test('clock mode', () => {
  const run = new JobRun<number>((input) => input.keyBy(() => 'k').process<string>({
    processElement: (_k, v, ctx, out) => { ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 5000); out.collect(`e${v}`); },
    onProcessingTime: (t, _k, ctx, out) => out.collect(`pt${t}`),
  }), { processingTime: 'clock' });
  run.feed([1, 1e12]);
  console.log(run.output().trace, run.leftovers());
});
test('async reduce in window', () => {
  const run = new JobRun<number>((input) => input.keyBy(() => 'k').window(TumblingWindow.of(10)).reduce((async (a: number, b: number) => a + b) as never));
  run.feed([1, 1], [2, 2]).end();
  console.log(run.output().trace, run.leftovers());
});
test('undefined aggregate', () => {
  const run = new JobRun<number>((input) => input.keyBy(() => 'k').window(TumblingWindow.of(10)).aggregate({createAccumulator: () => [] as number[], add: ((v: number, acc: number[]) => { acc.push(v); }) as never, getResult: (a: number[]) => a.length}));
  run.feed([1, 1], [2, 2]).end();
  console.log(run.output().trace, run.leftovers());
});
test('ttl', () => {
  const run = new JobRun<number>((input) => { const k = input.keyBy((v) => v); const s = k.getState(valueState<number>('s', { ttl: 10 })); return k.map((v) => { s.update(v); return v; }).reduce((a) => a); });
  for (let i = 0; i < 1000; i++) { run.clock.time = i; run.feed([i, i]); }
  console.log(run.leftovers().filter((x) => x.startsWith('s ')).length);
});
