import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { coded } from '../../test-support/coded.ts';
import { LaneBench } from '../../test-support/lane-bench.ts';
import { turn } from '../../test-support/turn.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const noBackoff = { initialBackoff: 0, maxBackoff: 0 } as const;
const closing = new RsError('RS_CLOSED', 'the consumer closes');

describe('handling', () => {
  test('one after the other, and what has ended is stored', async () => {
    const bench = new LaneBench();
    const [first, second] = bench.send('a', 'b');
    const lane = await bench.run();
    expect([bench.handled, bench.pending, lane.handling, lane.inFlight]).toEqual([
      ['a'],
      [first, second],
      1,
      2,
    ]);
    await bench.calls[0]?.end();
    expect([bench.handled, bench.pending, bench.lease['low']]).toEqual([['a', 'b'], [second], first]);
    await bench.calls[1]?.end();
    expect([bench.pending, bench.lease['low'], lane.table.low, lane.inFlight]).toEqual([
      [],
      second,
      second,
      0,
    ]);
  });

  test('what fails is handled again after its backoff, before what comes after it', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 500, jitter: 'none' } });
    const [id] = bench.send('a', 'b');
    const lane = await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    expect([bench.handled, bench.attempts, lane.queue.parked]).toEqual([['a'], { [id ?? '']: '1' }, 2]);
    await bench.time.advance(499);
    expect(bench.handled).toEqual(['a']);
    await bench.time.advance(1);
    expect(bench.handled).toEqual(['a', 'a']);
    expect(bench.calls[1]?.context.attempt).toBe(2);
    await bench.calls[1]?.end();
    expect([bench.handled, bench.attempts]).toEqual([['a', 'a', 'b'], {}]);
  });

  test('what fails too often is a dead letter, with all that is known of it', async () => {
    const bench = new LaneBench({ retry: { ...noBackoff, maxAttempts: 2 } });
    const [id] = bench.send('a', 'b');
    await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    await bench.time.advance(0);
    await bench.calls[1]?.fail(new TypeError('never'));
    expect(bench.dead).toEqual([
      expect.objectContaining({ o: id, g: 'billing', n: '2', r: 'attempts', d: '"a"', m: '1,json,-,' }),
    ]);
    expect(JSON.parse(bench.dead[0]?.['e'] ?? '')).toMatchObject({ name: 'TypeError', message: 'never' });
    expect([bench.handled, bench.attempts]).toEqual([['a', 'a', 'b'], {}]);
  });

  test('handlers that return at once leave the event loop its turn', async () => {
    const bench = new LaneBench();
    bench.send(...numbers(400));
    // While the first one runs, the rest is read. When it has ended, the others follow without a pause, but for that.
    await bench.run();
    bench.auto = true;
    const ended = bench.calls[0]?.end();
    await turn();
    expect(bench.handled).toHaveLength(257);
    await ended;
    expect(bench.handled).toEqual(numbers(400));
  });

  test('handlers that block leave the event loop its turn sooner', async () => {
    const bench = new LaneBench({ batchCount: 16 });
    bench.send(...numbers(16));
    bench.auto = true;
    const at: number[] = [];
    const push = bench.calls.push.bind(bench.calls);
    bench.calls.push = (call) => {
      at.push(bench.time.now);
      bench.time.block(4);
      return push(call);
    };
    let turns = 0;
    const { soon } = bench.timers;
    bench.timers.soon = (run) => {
      turns++;
      soon.call(bench.timers, run);
    };
    await bench.run();
    expect(bench.handled).toEqual(numbers(16));
    // Three calls of 4 ms use up a turn of 10 ms.
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});

describe('room', () => {
  test('no more is read than may be in flight', async () => {
    const bench = new LaneBench({ maxInFlight: 3 });
    bench.send(...numbers(10));
    await bench.run();
    expect(bench.pending).toHaveLength(3);
    await bench.calls[0]?.end();
    await bench.calls[1]?.end();
    expect(bench.pending.length).toBeLessThanOrEqual(3);
    bench.auto = true;
    await bench.calls[2]?.end();
    expect([bench.handled, bench.pending]).toEqual([numbers(10), []]);
  });

  test('nor more bytes, but one message at least', async () => {
    const bench = new LaneBench({ maxInFlightBytes: 1_000 });
    bench.send(...Array.from({ length: 40 }, () => 'x'.repeat(400)));
    const lane = await bench.run();
    // The first read knows no size: it takes one, then two. After them there is room for none.
    expect(bench.pending).toHaveLength(3);
    bench.auto = true;
    await bench.calls[0]?.end();
    expect([bench.handled.length, bench.pending, lane.inFlight]).toEqual([40, [], 0]);
  });

  test('when too many wait for a retry, nothing is read', async () => {
    const bench = new LaneBench({
      ordering: 'none',
      maxParked: 2,
      maxInFlight: 1,
      retry: { initialBackoff: 100, jitter: 'none' },
    });
    bench.send('a', 'b', 'c');
    await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    await bench.calls[1]?.fail(new Error('no'));
    expect(bench.handled).toEqual(['a', 'b']);
    await bench.time.advance(100);
    await bench.calls[2]?.end();
    expect(bench.handled).toEqual(['a', 'b', 'a', 'b']);
    await bench.calls[3]?.end();
    expect(bench.handled).toEqual(['a', 'b', 'a', 'b', 'c']);
  });
});

describe('pause', () => {
  test('is fulfilled when the handler has ended; then nothing starts before resume', async () => {
    const bench = new LaneBench();
    bench.send('a', 'b');
    const lane = await bench.run();
    let paused = false;
    void lane.pause().then(() => (paused = true));
    await bench.time.settle();
    expect([paused, lane.state]).toEqual([false, 'paused']);
    await bench.calls[0]?.end();
    expect([paused, bench.handled, bench.pending.length]).toEqual([true, ['a'], 1]);
    bench.send('c');
    await bench.time.advance(60_000);
    expect([bench.handled, bench.watching]).toEqual([['a'], undefined]);
    lane.renewed(bench.time.now + 60_000);
    lane.resume();
    await bench.time.settle();
    expect([bench.handled, lane.state]).toEqual([['a', 'b'], 'running']);
  });

  test('holds retries that become due', async () => {
    const bench = new LaneBench({ retry: { initialBackoff: 100, jitter: 'none' } });
    bench.send('a');
    const lane = await bench.run();
    await bench.calls[0]?.fail(new Error('no'));
    await lane.pause();
    await bench.time.advance(1_000);
    expect(bench.handled).toEqual(['a']);
    lane.resume();
    await bench.time.advance(0);
    expect(bench.handled).toEqual(['a', 'a']);
  });

  test('a lane may begin paused', async () => {
    const bench = new LaneBench();
    bench.send('a');
    const lane = await bench.run({ paused: true });
    expect([bench.handled, bench.pending, lane.state]).toEqual([[], [], 'paused']);
    lane.resume();
    await bench.time.settle();
    expect(bench.handled).toEqual(['a']);
  });
});

describe('drain', () => {
  test('waits for handlers and for their outcomes; the rest stays pending and has no attempt', async () => {
    const bench = new LaneBench();
    const [, second] = bench.send('a', 'b');
    const lane = await bench.run();
    bench.broker.fate = () => ({ there: 50 });
    let drained = false;
    void lane.drain().then(() => (drained = true));
    await bench.calls[0]?.end();
    expect([drained, lane.state]).toEqual([false, 'draining']);
    await bench.time.advance(50);
    expect([drained, bench.pending, bench.handled, bench.attempts]).toEqual([true, [second], ['a'], {}]);
    expect(bench.watching).toBeUndefined();
  });

  test('of an idle lane is done at once', async () => {
    const bench = new LaneBench();
    const lane = await bench.run();
    await lane.drain();
    lane.end();
    lane.end();
    await bench.time.advance(60_000);
    expect([lane.state, bench.ends, bench.broker.callsOf('fetch-entries').length]).toEqual(['ended', 1, 1]);
  });

  test('while the mark of a suspect is stored: its handler does not start', async () => {
    const bench = new LaneBench();
    const [id] = bench.send('a');
    for (let crashes = 0; crashes < 2; crashes++) {
      await bench.run();
      bench.expire();
    }
    bench.calls.length = 0;
    bench.broker.fate = (name) => (name === 'settle-messages' ? { there: 100 } : {});
    const next = await bench.run();
    const drained = next.drain();
    await bench.time.advance(100);
    await drained;
    expect([bench.handled, bench.pending]).toEqual([[], [id]]);
  });
});

describe('abort', () => {
  test('tells handlers; what fails then costs no attempt, what succeeds counts', async () => {
    const bench = new LaneBench({ ordering: 'none', concurrency: 2, retry: { maxAttempts: 1 } });
    const [first] = bench.send('a', 'b');
    const lane = await bench.run();
    const drained = lane.drain();
    lane.abort(closing);
    expect(bench.calls[0]?.context.signal.reason).toBe(closing);
    await bench.calls[0]?.fail(closing);
    await bench.calls[1]?.end();
    await drained;
    expect([bench.pending, bench.attempts, bench.dead]).toEqual([[first], {}, []]);
  });
});

describe('lose', () => {
  test('ends the lane: signals are aborted, nothing is stored, no handler starts', async () => {
    const bench = new LaneBench();
    const ids = bench.send('a', 'b');
    const lane = await bench.run();
    const error = new RsError('RS_LEASE_LOST', 'lost');
    lane.lose(error);
    expect([lane.state, bench.ends, bench.calls[0]?.context.signal.reason]).toEqual(['ended', 1, error]);
    let quiet = false;
    void lane.quiet().then(() => (quiet = true));
    await bench.time.settle();
    expect(quiet).toBe(false);
    await bench.calls[0]?.end();
    await bench.time.advance(1_000);
    expect([quiet, bench.handled, bench.pending]).toEqual([true, ['a'], ids]);
    expect(bench.broker.callsOf('settle-messages')).toEqual([]);
    lane.lose(error);
    expect(bench.told).toEqual(['lane lost: RS_LEASE_LOST']);
  });

  test('drain of a lane that is lost meanwhile ends when its handlers have', async () => {
    const bench = new LaneBench();
    bench.send('a');
    const lane = await bench.run();
    let drained = false;
    void lane.drain().then(() => (drained = true));
    lane.lose(new RsError('RS_LEASE_LOST', 'lost'));
    await bench.calls[0]?.end();
    expect(drained).toBe(true);
  });

  test('what another owner has taken over is not stored by the one before', async () => {
    const bench = new LaneBench();
    const [id] = bench.send('a');
    const lane = await bench.run();
    bench.expire();
    await bench.run();
    await bench.calls[0]?.end();
    expect([lane.state, bench.pending]).toEqual(['ended', [id]]);
    expect(bench.errors).toEqual([coded('RS_LEASE_LOST')]);
  });
});

describe('deadline', () => {
  test('behind it no handler starts until the lease is renewed', async () => {
    const bench = new LaneBench();
    bench.send('a', 'b');
    const lane = await bench.run({ ttl: 1_000 });
    bench.time.block(1_000);
    await bench.calls[0]?.end();
    expect(bench.handled).toEqual(['a']);
    lane.renewed(bench.time.now + 1_000);
    await bench.time.settle();
    expect(bench.handled).toEqual(['a', 'b']);
  });

  test('an answer that comes late takes nothing back', async () => {
    const bench = new LaneBench();
    const lane = await bench.run({ ttl: 1_000 });
    lane.renewed(5_000);
    lane.renewed(4_000);
    expect(lane.deadline).toBe(5_000);
  });
});

test('a call that throws where none may throws once, and the lane goes on', async () => {
  const bench = new LaneBench();
  bench.redis.add(bench.place.keys.stream, ['no', 'envelope']);
  bench.send('a', 'b');
  bench.auto = true;
  const { told } = bench;
  told.push = () => {
    told.push = (...what) => Array.prototype.push.apply(told, what);
    throw new Error('thrown by a listener');
  };
  await bench.run();
  await bench.time.advance(1_000);
  expect([bench.handled, bench.pending]).toEqual([['a', 'b'], []]);
});

test('reading stops while thousands of outcomes wait to be stored, and goes on afterwards', async () => {
  const bench = new LaneBench();
  bench.auto = true;
  bench.send(...Array.from({ length: 8_000 }, (_, at) => at));
  bench.broker.fate = (name) => (name === 'settle-messages' ? { fault: 'lost' } : {});
  await bench.run();
  await bench.time.advance(5_000);
  expect(bench.pending.length).toBeGreaterThanOrEqual(5_000);
  expect(bench.pending.length).toBeLessThanOrEqual(5_000 + 512);
  bench.broker.fate = () => ({});
  await bench.time.advance(5_000);
  expect([bench.handled.length, bench.pending]).toEqual([8_000, []]);
});
