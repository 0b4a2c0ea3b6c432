import { describe, expect, test } from '@jest/globals';
import { LaneBench } from '../../test-support/lane-bench.ts';

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, n) => from + n);

/** A partition of which an owner has crashed, with messages in its hands. */
async function left(count: number, options: ConstructorParameters<typeof LaneBench>[0] = {}) {
  const bench = new LaneBench({ maxInFlight: 5_000, batchCount: 1_000, ...options });
  const ids = bench.send(...numbers(count));
  const lane = await bench.run();
  await lane.scripts.release(lane.lease.token);
  lane.end();
  bench.calls.length = 0;
  return { bench, ids };
}

describe('taking over', () => {
  test('everything that is pending comes first, in order, however many pages it takes', async () => {
    const { bench, ids } = await left(1_200, { maxInFlight: 40 });
    // The rest was never delivered; make it pending as a far larger owner would have.
    const { stream } = bench.place.keys;
    const group = bench.redis.group(stream, 'billing');
    if (group !== undefined) bench.redis.stream(stream).deliver(group, 'owner', 1_200);
    bench.send(...numbers(100, 1_200));
    bench.auto = true;
    await bench.run();
    expect(bench.broker.callsOf('take-over-pending').map(({ reply }) => reply)).toEqual([
      ['OK', '0-0', expect.anything(), []],
      ['OK', ids[500], expect.anything(), []],
      ['OK', ids[1_000], expect.anything(), []],
      ['OK', '0-0', expect.anything(), []],
    ]);
    expect(bench.handled).toEqual(numbers(1_300));
    expect(bench.pending).toEqual([]);
  });

  test('what is parked waits for its time and keeps its attempts, and so does what is behind it', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 1_000, jitter: 'none' } });
    bench.send('a', 'b');
    const lane = await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    await lane.scripts.release(lane.lease.token);
    lane.end();
    await bench.time.advance(400);
    await bench.run();
    await bench.time.advance(599);
    expect(bench.handled).toEqual(['a']);
    await bench.time.advance(1);
    expect([bench.handled, bench.calls[1]?.context.attempt]).toEqual([['a', 'a'], 2]);
    await bench.calls[1]?.end();
    expect([bench.handled, bench.attempts]).toEqual([['a', 'a', 'b'], {}]);
  });

  test('what is parked waits no longer than it was to, though the clock of the server went back', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 1_000, jitter: 'none' } });
    const [id = ''] = bench.send('a');
    const lane = await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    await lane.scripts.release(lane.lease.token);
    lane.end();
    bench.redis.sortedSet(bench.place.keys.retries).set(id, bench.redis.now + 3_600_000);
    await bench.run();
    await bench.time.advance(999);
    expect(bench.handled).toEqual(['a']);
    await bench.time.advance(1);
    expect(bench.handled).toEqual(['a', 'a']);
  });

  test('what is overdue comes at once', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 1_000, jitter: 'none' } });
    bench.send('a');
    const lane = await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    lane.end();
    await lane.scripts.release(lane.lease.token);
    await bench.time.advance(1_000);
    await bench.run();
    expect(bench.handled).toEqual(['a', 'a']);
  });

  test('entries that are gone leave the list and are told of', async () => {
    const { bench, ids } = await left(4);
    bench.redis.stream(bench.place.keys.stream).trim(2);
    bench.auto = true;
    await bench.run();
    expect([bench.handled, bench.pending, bench.told]).toEqual([[2, 3], [], [`lost ${ids[0]} ${ids[1]}`]]);
    expect(bench.lease['low']).toBe(ids[3]);
  });

  test('also those that go between their page and their loading', async () => {
    const { bench, ids } = await left(3);
    bench.auto = true;
    bench.broker.fate = (name) => (name === 'load-entries' ? { there: 10 } : {});
    await bench.run();
    bench.redis.stream(bench.place.keys.stream).remove([ids[1] ?? '']);
    await bench.time.advance(10);
    expect([bench.handled, bench.pending, bench.told]).toEqual([[0, 2], [], [`lost ${ids[1]}`]]);
  });

  test('bodies are loaded as there is room for them', async () => {
    const { bench } = await left(3, { maxInFlight: 2 });
    bench.redis.stream(bench.place.keys.stream);
    await bench.run();
    const loaded = () => bench.broker.callsOf('load-entries').map(({ reply }) => (reply as unknown[]).length);
    expect(loaded().reduce((sum, count) => sum + count, 0)).toBe(2);
    bench.auto = true;
    await bench.calls[0]?.end();
    expect([bench.handled, bench.pending]).toEqual([[0, 1, 2], []]);
  });

  test('a group that vanishes meanwhile ends the lane; the next owner begins at the low watermark', async () => {
    const { bench } = await left(3);
    bench.broker.fate = (name) => (name === 'take-over-pending' ? { there: 10 } : {});
    const lane = await bench.run();
    bench.redis.stream(bench.place.keys.stream).groups.clear();
    await bench.time.advance(10);
    expect([lane.state, bench.told]).toEqual(['ended', ['lane lost: RS_LEASE_LOST']]);
    bench.expire();
    bench.auto = true;
    await bench.run();
    await bench.time.advance(10);
    expect([bench.handled, bench.pending]).toEqual([[0, 1, 2], []]);
  });
});

describe('reading on', () => {
  test('what was delivered with a reply that was lost comes all the same, once and in order', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    bench.send('a', 'b');
    bench.broker.fate = (name) => (name === 'fetch-entries' ? { fault: 'no reply' } : {});
    await bench.run();
    bench.send('c');
    bench.broker.fate = () => ({});
    await bench.time.advance(5_000);
    expect([bench.handled, bench.pending]).toEqual([['a', 'b', 'c'], []]);
    expect(bench.told).toEqual(['trouble reading: RS_REDIS_CONNECTION_LOST']);
  });

  test('when that is gone meanwhile, what comes after it is read', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    const lost = bench.send('a', 'b');
    bench.broker.fate = (name) => (name === 'fetch-entries' ? { fault: 'no reply' } : {});
    await bench.run();
    bench.send('c');
    bench.redis.stream(bench.place.keys.stream).remove(lost);
    bench.broker.fate = () => ({});
    await bench.time.advance(5_000);
    expect(bench.handled).toEqual(['c']);
  });

  test('without news it waits to be rung, from where it is', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    const [id] = bench.send('a');
    const lane = await bench.run();
    expect(bench.watching).toEqual({ after: id, again: '0-0' });
    bench.send('b');
    await bench.time.settle();
    expect(bench.handled).toEqual(['a']);
    await bench.ring(lane);
    expect(bench.handled).toEqual(['a', 'b']);
  });

  test('a ring while it reads is not forgotten', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    // Its reply takes longer than the doorbell does.
    bench.broker.fate = (name) => (name === 'fetch-entries' ? { back: 20 } : {});
    const lane = await bench.run();
    bench.send('a');
    await bench.ring(lane);
    await bench.time.advance(40);
    expect(bench.handled).toEqual(['a']);
  });

  test('now and then it looks all the same', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    await bench.run();
    bench.send('a');
    await bench.time.advance(9_999);
    expect(bench.handled).toEqual([]);
    await bench.time.advance(1);
    expect(bench.handled).toEqual(['a']);
  });

  test('errors are told and it goes on, after longer and longer pauses', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    const tries: number[] = [];
    bench.broker.fate = (name) => {
      if (name !== 'fetch-entries') return {};
      tries.push(bench.time.now - 1_000);
      return { fault: 'refused' };
    };
    bench.send('a');
    await bench.run();
    await bench.time.advance(300);
    expect(tries).toEqual([0, 20, 60, 140, 300]);
    bench.broker.fate = () => ({});
    await bench.time.advance(320);
    expect(bench.handled).toEqual(['a']);
    expect(new Set(bench.told)).toEqual(new Set(['trouble reading: RS_REDIS_REFUSED']));
  });

  test('another owner ends it', async () => {
    const bench = new LaneBench();
    const lane = await bench.run();
    bench.expire();
    await bench.acquire();
    await bench.ring(lane);
    expect([lane.state, bench.watching]).toEqual(['ended', undefined]);
  });

  test('a group that was moved back ends it, since only a new lane can tell what was settled', async () => {
    const bench = new LaneBench();
    bench.auto = true;
    bench.send('a', 'b');
    const lane = await bench.run();
    const group = bench.redis.group(bench.place.keys.stream, 'billing');
    if (group !== undefined) group.delivered = '0-0';
    await bench.ring(lane);
    expect([lane.state, bench.handled]).toEqual(['ended', ['a', 'b']]);
    bench.expire();
    await bench.run();
    expect(bench.handled).toEqual(['a', 'b', 'a', 'b']);
  });

  test('what stops while it reads takes nothing in', async () => {
    const bench = new LaneBench();
    const [id] = bench.send('a');
    bench.broker.fate = (name) => (name === 'fetch-entries' ? { back: 20 } : {});
    const lane = await bench.run();
    await lane.drain();
    lane.end();
    await bench.time.advance(20);
    expect([bench.handled, lane.inFlight, bench.pending]).toEqual([[], 0, [id]]);
  });
});

describe('what its group is given again', () => {
  function redeliver(bench: LaneBench, value: string, original: string): string {
    const { redelivery } = bench.place.keys;
    return bench.redis.add(redelivery, [
      'o',
      original,
      'm',
      '1,json,-,',
      'k',
      '',
      'h',
      '',
      'd',
      JSON.stringify(value),
    ]);
  }

  test('is handled, and is gone then', async () => {
    const bench = new LaneBench();
    bench.send('a');
    redeliver(bench, 'again', '5-0');
    const lane = await bench.run();
    await bench.calls[0]?.end();
    await bench.calls[1]?.end();
    expect(bench.handled).toEqual(['a', 'again']);
    expect([bench.redis.stream(bench.place.keys.redelivery).entries, lane.inFlight]).toEqual([[], 0]);
  });

  test('has attempts of its own, which the next owner knows', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 0, maxBackoff: 0, maxAttempts: 2 } });
    const id = redeliver(bench, 'again', '5-0');
    const lane = await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    expect(bench.attempts).toEqual({ [`r${id}`]: '1' });
    lane.end();
    await lane.scripts.release(lane.lease.token);
    bench.calls.length = 0;
    await bench.run();
    expect(bench.calls[0]?.context.attempt).toBe(2);
    await bench.calls[0]?.fail(new Error('no'));
    expect(bench.dead).toEqual([expect.objectContaining({ o: '5-0', n: '2', d: '"again"' })]);
    expect([bench.attempts, bench.redis.stream(bench.place.keys.redelivery).entries]).toEqual([{}, []]);
  });

  test('brings a process down no more often than others do', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 0, maxBackoff: 0, maxAttempts: 2 } });
    const id = redeliver(bench, 'again', '5-0');
    // The first two owners have no reason for suspicion; each further one has.
    for (let n = 0; n < 4; n++) {
      await bench.run();
      bench.expire();
    }
    expect([bench.attempts, bench.lease['started']]).toEqual([{ [`r${id}`]: '1' }, `r${id}`]);
    await bench.run();
    expect(bench.dead).toEqual([expect.objectContaining({ o: '5-0', r: 'crashed' })]);
  });
});

test('a Redis that has lost settles which it had confirmed is noticed also while nothing comes', async () => {
  const bench = new LaneBench();
  bench.auto = true;
  const [id = ''] = bench.send('a');
  const lane = await bench.run();
  expect(bench.pending).toEqual([]);
  // What a replica has that did not get it.
  bench.redis.hash(bench.place.keys.lease).set('seq', '0');
  bench.redis.group(bench.place.keys.stream, bench.place.group)?.pending.set(id, 'owner');
  await bench.time.advance(9_000);
  expect(lane.state).toBe('running');
  await bench.time.advance(1_000);
  expect(lane.state).toBe('ended');
  expect(bench.errors).toContainEqual(
    expect.objectContaining({
      code: 'RS_LEASE_LOST',
      details: expect.objectContaining({ refusal: 'ROLLED_BACK' }) as unknown,
    }),
  );
});

test('what is no message becomes a dead letter as it is, and the rest goes on', async () => {
  const bench = new LaneBench();
  bench.auto = true;
  bench.redis.add(bench.place.keys.stream, ['some', 'thing', 'else', 'here']);
  bench.send('a');
  await bench.run();
  expect([bench.handled, bench.pending]).toEqual([['a'], []]);
  expect(bench.dead).toEqual([
    expect.objectContaining({ r: 'undecodable', n: '0', some: 'thing', else: 'here' }),
  ]);
});
