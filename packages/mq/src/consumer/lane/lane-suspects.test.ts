import { describe, expect, test } from '@jest/globals';
import { LaneBench } from '../../test-support/lane-bench.ts';

const noBackoff = { initialBackoff: 0, maxBackoff: 0 } as const;

describe('what an owner left that did not release', () => {
  /** Two processes that crashed one after the other with three messages in their hands, in the handler of the first of them. */
  async function crashed(options = {}) {
    const bench = new LaneBench({ maxInFlight: 3, retry: { ...noBackoff, maxAttempts: 2 }, ...options });
    const ids = bench.send('a', 'b', 'c');
    await bench.run();
    bench.expire();
    // One crash may have any cause: all goes on as ever.
    await bench.run();
    bench.expire();
    bench.calls.length = 0;
    return { bench, ids };
  }

  test('runs one by one, each marked before it starts', async () => {
    const { bench, ids } = await crashed({ ordering: 'none', concurrency: 3 });
    bench.broker.fate = (name) => (name === 'settle-messages' ? { there: 10 } : {});
    await bench.run();
    expect(bench.handled).toEqual([]);
    await bench.time.advance(10);
    expect([bench.handled, bench.lease['started'], bench.lease['crashes']]).toEqual([['a'], ids[0], '2']);
    await bench.calls[0]?.end();
    await bench.time.advance(10);
    expect([bench.handled, bench.lease['started']]).toEqual([['a', 'b'], ids[1]]);
    await bench.calls[1]?.end();
    await bench.time.advance(10);
    await bench.calls[2]?.end();
    await bench.time.advance(10);
    expect([bench.pending, bench.lease['started'], bench.lease['crashes']]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  test('the one that was marked has an attempt more; too many are the end of it', async () => {
    const { bench, ids } = await crashed();
    await bench.run();
    expect(bench.lease['started']).toBe(ids[0]);

    bench.expire();
    bench.calls.length = 0;
    await bench.run();
    expect(bench.calls.map(({ context }) => context.attempt)).toEqual([2]);
    expect([bench.attempts, bench.lease['started']]).toEqual([{ [ids[0] ?? '']: '1' }, ids[0]]);

    bench.expire();
    bench.calls.length = 0;
    await bench.run();
    expect(bench.dead).toEqual([expect.objectContaining({ o: ids[0], r: 'crashed', n: '2' })]);
    expect([bench.handled, bench.attempts, bench.lease['started']]).toEqual([['b'], {}, ids[1]]);
  });

  test('the one that was marked is charged also when others before it were settled meanwhile', async () => {
    const { bench, ids } = await crashed();
    await bench.run();
    await bench.calls[0]?.end();
    await bench.time.advance(10);
    expect([bench.handled, bench.lease['started'], bench.lease['low']]).toEqual([['a', 'b'], ids[1], ids[0]]);
    bench.expire();
    bench.calls.length = 0;
    await bench.run();
    expect([bench.attempts, bench.handled, bench.lease['started']]).toEqual([
      { [ids[1] ?? '']: '1' },
      ['b'],
      ids[1],
    ]);
  });

  test('one that has failed and waits for its retry is not charged for a crash meanwhile', async () => {
    const { bench, ids } = await crashed({
      retry: { initialBackoff: 1_000, jitter: 'none', maxAttempts: 5 },
    });
    await bench.run();
    await bench.calls[0]?.fail(new Error('not now'));
    await bench.time.advance(10);
    expect([bench.attempts, bench.lease['started']]).toEqual([{ [ids[0] ?? '']: '1' }, undefined]);

    bench.expire();
    bench.calls.length = 0;
    await bench.run();
    expect([bench.attempts, bench.handled]).toEqual([{ [ids[0] ?? '']: '1' }, []]);
  });

  test('is not charged twice when the next owner goes before it starts anything', async () => {
    const { bench, ids } = await crashed();
    await bench.run();
    bench.expire();
    await bench.run({ paused: true });
    bench.expire();
    bench.calls.length = 0;
    await bench.run();
    expect([bench.attempts, bench.calls[0]?.context.attempt]).toEqual([{ [ids[0] ?? '']: '1' }, 2]);
  });

  test('a pause while the mark is stored holds the handler back, not for ever', async () => {
    const { bench } = await crashed();
    bench.broker.fate = (name) => (name === 'settle-messages' ? { there: 10 } : {});
    const lane = await bench.run();
    void lane.pause();
    await bench.time.advance(1_000);
    expect(bench.handled).toEqual([]);
    lane.resume();
    await bench.time.advance(10);
    expect(bench.handled).toEqual(['a']);
  });

  test('a lease that was given back leaves no suspects', async () => {
    const bench = new LaneBench({ ordering: 'none', concurrency: 3 });
    bench.send('a', 'b');
    const lane = await bench.run();
    await lane.scripts.release(lane.lease.token);
    lane.end();
    bench.calls.length = 0;
    await bench.run();
    expect([bench.handled, bench.lease['started']]).toEqual([['a', 'b'], undefined]);
  });
});
