import { describe, expect, test } from '@jest/globals';
import { LaneBench } from '../../test-support/lane-bench.ts';

describe("ack 'manual'", () => {
  test('the next one starts when the handler returns; it is stored when it is acknowledged', async () => {
    const bench = new LaneBench({ ack: 'manual' });
    const ids = bench.send('a', 'b');
    const lane = await bench.run();
    await bench.calls[0]?.end();
    expect([bench.handled, bench.pending, lane.inFlight]).toEqual([['a', 'b'], ids, 2]);
    bench.calls[0]?.context.ack();
    await bench.time.settle();
    expect([bench.pending, bench.lease['low']]).toEqual([[ids[1]], ids[0]]);
    bench.calls[0]?.context.settle({ type: 'deadLetter', reason: 'too late' });
    await bench.time.settle();
    expect(bench.dead).toEqual([]);
  });

  test('those that wait for it hold room, and give it back', async () => {
    const bench = new LaneBench({ ack: 'manual', maxInFlight: 2 });
    bench.send('a', 'b', 'c', 'd');
    await bench.run();
    for (const call of [0, 1]) await bench.calls[call]?.end();
    await bench.time.advance(60_000 - 1);
    expect(bench.handled).toEqual(['a', 'b']);
    for (const { context } of [...bench.calls]) context.ack();
    await bench.time.settle();
    expect(bench.handled).toEqual(['a', 'b', 'c']);
  });

  test('a retry after the handler has returned comes again', async () => {
    const bench = new LaneBench({ ack: 'manual', retry: { initialBackoff: 100, jitter: 'none' } });
    const [id] = bench.send('a');
    await bench.run();
    await bench.calls[0]?.end();
    bench.calls[0]?.context.settle({ type: 'retry' });
    await bench.time.advance(100);
    expect([bench.handled, bench.calls[1]?.context.attempt]).toEqual([['a', 'a'], 2]);
    expect([bench.attempts, bench.pending]).toEqual([{ [id ?? '']: '1' }, [id]]);
  });

  test('what fails needs none', async () => {
    const bench = new LaneBench({ ack: 'manual', retry: { maxAttempts: 1 } });
    const [id] = bench.send('a');
    await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    expect([bench.pending, bench.dead.map(({ o }) => o)]).toEqual([[], [id]]);
  });

  test('what waits for it goes to the next owner', async () => {
    const bench = new LaneBench({ ack: 'manual' });
    const [id] = bench.send('a');
    const lane = await bench.run();
    await bench.calls[0]?.end();
    await lane.drain();
    expect(bench.pending).toEqual([id]);
  });
});
