import { describe, expect, test } from '@jest/globals';
import { LaneBench } from '../../test-support/lane-bench.ts';

const noBackoff = { initialBackoff: 0, maxBackoff: 0 } as const;

describe('batches', () => {
  test('wait for a full batch, or for their time', async () => {
    const bench = new LaneBench({ batch: { max: 3, maxWait: 100 } });
    bench.send('a', 'b');
    const lane = await bench.run();
    expect(bench.batches).toEqual([]);
    await bench.time.advance(60);
    bench.send('c', 'd');
    await bench.ring(lane);
    expect(bench.batches.map(({ values }) => values)).toEqual([['a', 'b', 'c']]);
    await bench.time.advance(1_000);
    await bench.batches[0]?.end();
    await bench.time.advance(99);
    expect(bench.batches).toHaveLength(1);
    await bench.time.advance(1);
    expect(bench.batches[1]?.values).toEqual(['d']);
  });

  test('without a wait take what is there', async () => {
    const bench = new LaneBench({ batch: { max: 3 } });
    bench.send('a', 'b', 'c', 'd');
    await bench.run();
    await bench.batches[0]?.end();
    expect(bench.batches.map(({ values }) => values)).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('each message has an outcome of its own', async () => {
    const bench = new LaneBench({ batch: { max: 3 }, retry: { ...noBackoff } });
    const ids = bench.send('a', 'b', 'c');
    await bench.run();
    await bench.batches[0]?.end(['RETRY', undefined, 'DEAD_LETTER']);
    await bench.time.advance(0);
    expect(bench.batches[1]).toMatchObject({ values: ['a'], attempts: [2] });
    expect([bench.pending, bench.dead.map(({ o }) => o)]).toEqual([[ids[0]], [ids[2]]]);
  });

  test('the wait ends with the lane', async () => {
    const bench = new LaneBench({ batch: { max: 3, maxWait: 100 } });
    bench.send('a');
    const lane = await bench.run();
    await lane.drain();
    await bench.time.advance(1_000);
    expect(bench.batches).toEqual([]);
  });

  test('are as large as their room in bytes, and do not wait when there is none left', async () => {
    const bench = new LaneBench({ batch: { max: 100, maxWait: 30_000 }, maxInFlightBytes: 1_000 });
    bench.send(...Array.from({ length: 30 }, () => 'x'.repeat(100)));
    await bench.run();
    await bench.time.settle();
    expect(bench.batches).toHaveLength(1);
    for (let at = 0; at < bench.batches.length && at < 30; at++) await bench.batches[at]?.end();
    // The last one waits: there is room for more, and none comes.
    const handled = bench.batches.reduce((sum, { values }) => sum + values.length, 0);
    expect(handled).toBeGreaterThan(15);
    await bench.time.advance(30_000);
    await bench.batches.at(-1)?.end();
    expect(bench.batches.flatMap(({ values }) => values)).toHaveLength(30);
  });

  test('a backlog is handled in full batches, without waiting', async () => {
    const bench = new LaneBench({ batch: { max: 500, maxWait: 30_000 } });
    bench.send(...Array.from({ length: 2_600 }, (_, at) => at));
    await bench.run();
    for (let at = 0; at < 5; at++) await bench.batches[at]?.end();
    expect(bench.batches.map(({ values }) => values.length)).toEqual([500, 500, 500, 500, 500]);
    await bench.time.advance(30_000);
    expect(bench.batches[5]?.values).toHaveLength(100);
  });
});
