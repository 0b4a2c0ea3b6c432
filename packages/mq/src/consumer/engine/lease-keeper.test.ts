import { expect, test } from '@jest/globals';
import { FakeBroker, type Fate } from '../../test-support/fake-broker.ts';
import { FakeTimers } from '../../test-support/fake-timers.ts';
import type { Lane } from '../lane/lane.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { leaseTimes } from './lease-times.ts';

const TIMES = leaseTimes(1_000); // renewed every 200 ms, stored for 1,200 ms

/** What a lane is to a keeper of leases. */
class Held {
  readonly scripts;
  readonly lease;
  deadline: number;
  readonly lost: string[] = [];

  constructor(keys: { lease: string; tag: string; token: string }, deadline: number) {
    this.scripts = { place: { topic: 'orders', partition: 3, tag: keys.tag, keys: { lease: keys.lease } } };
    this.lease = { token: keys.token };
    this.deadline = deadline;
  }

  renewed(deadline: number): void {
    this.deadline = deadline;
  }

  lose({ code, message }: { code: string; message: string }): void {
    this.lost.push(`${code} ${message}`);
  }
}

const laneOf = (held: object): Lane => held as Lane;

function setUp({ topology = 'single' }: { topology?: 'single' | 'cluster' } = {}) {
  const timers = new FakeTimers();
  const broker = new FakeBroker(timers.time);
  const troubles: unknown[] = [];
  const keeper = new LeaseKeeper({
    client: broker.client(timers, 'client', topology),
    times: TIMES,
    timers,
    onTrouble: (error) => troubles.push(error),
  });
  const hold = (lease: string, tag = '{t}'): Held => {
    const token = `token of ${lease}`;
    broker.redis.hash(lease).set('token', token);
    const held = new Held({ lease, tag, token }, timers.monotonic() + TIMES.stored);
    keeper.add(laneOf(held));
    return held;
  };
  const until = (lease: string): number => Number(broker.redis.hash(lease).get('until')) - broker.redis.now;
  const fail = (fault: NonNullable<Fate['fault']>): void => {
    broker.fate = () => ({ fault });
  };
  return { timers, broker, keeper, troubles, hold, until, fail };
}

test('renews in time, and counts from before the call', async () => {
  const { timers, broker, hold, until } = setUp();
  const held = hold('l');
  broker.fate = () => ({ there: 50, back: 60 });
  await timers.advance(200);
  expect(broker.executed).toEqual([]);
  await timers.advance(50);
  expect(until('l')).toBe(1_200);
  expect(held.deadline).toBe(1_000 + 1_200);
  await timers.advance(60);
  // Sent at 200 ms: Redis keeps the lease for longer than this process goes by it.
  expect(held.deadline).toBe(1_000 + 200 + 1_200);
  await timers.advance(10_000);
  expect([held.lost, held.deadline > timers.monotonic()]).toEqual([[], true]);
});

test('one call for all on a single server, one for each slot in a cluster', async () => {
  for (const topology of ['single', 'cluster'] as const) {
    const { timers, broker, hold } = setUp({ topology });
    const all = [hold('a', '{x}'), hold('b', '{y}'), hold('c', '{x}')];
    await timers.advance(200);
    const keys = broker.executed.map(({ call }) => call.keys);
    expect(keys).toEqual(topology === 'single' ? [['a', 'b', 'c']] : [['a', 'c'], ['b']]);
    expect(all.map(({ deadline }) => deadline)).toEqual([2_400, 2_400, 2_400]);
  }
});

test('one that another owner has is lost, the others are not', async () => {
  const { timers, broker, hold } = setUp();
  const [mine, others] = [hold('a'), hold('b')];
  broker.redis.hash('b').set('token', 'of another');
  await timers.advance(200);
  expect([mine.lost, others.lost]).toEqual([
    [],
    [expect.stringMatching(/^RS_LEASE_LOST .*partition 3 of topic 'orders'.*another owner/)],
  ]);
  await timers.advance(200);
  expect(broker.executed.at(-1)?.call.keys).toEqual(['a']);
});

test.each(['refused', 'lost', 'silence'] as const)(
  'an error says nothing about the lease: %s',
  async (fault) => {
    const { timers, hold, troubles, fail, broker } = setUp();
    const held = hold('l');
    fail(fault);
    await timers.advance(950);
    expect(held.lost).toEqual([]);
    broker.fate = () => ({});
    await timers.advance(1_000);
    expect([held.lost, held.deadline > timers.monotonic()]).toEqual([[], true]);
    expect(troubles.length).toBeGreaterThan(0);
  },
);

test('what could not be renewed until its deadline is lost, whatever Redis says', async () => {
  const { timers, hold, fail } = setUp();
  const held = hold('l');
  fail('refused');
  await timers.advance(1_199);
  expect(held.lost).toEqual([]);
  await timers.advance(1);
  expect(held.lost).toEqual([expect.stringMatching(/^RS_LEASE_LOST .*in time.*1000 ms/)]);
});

test('a process that stood still for less than the lease keeps it, one that did for longer loses it first of all', async () => {
  for (const [ms, lost] of [
    [1_000, 0],
    [1_300, 1],
  ] as const) {
    const { timers, broker, hold } = setUp();
    const held = hold('l');
    await timers.advance(199);
    timers.time.block(ms);
    broker.executed.length = 0;
    await timers.advance(0);
    expect(held.lost).toHaveLength(lost);
    expect(broker.executed).toHaveLength(1 - lost);
  }
});

test('a slow answer does not hold up the next renewal', async () => {
  const { timers, broker, hold } = setUp();
  hold('l');
  const sent: number[] = [];
  broker.fate = () => {
    sent.push(timers.monotonic() - 1_000);
    return { back: 500 };
  };
  await timers.advance(600);
  expect(sent).toEqual([200, 400, 600]);
});

test('one that was removed while the call is under way hears nothing of it', async () => {
  const { timers, broker, keeper, hold } = setUp();
  const held = hold('l');
  const before = held.deadline;
  broker.fate = () => ({ back: 50 });
  await timers.advance(200);
  broker.redis.hash('l').delete('token');
  keeper.remove(laneOf(held));
  await timers.advance(1_500);
  expect([held.lost, held.deadline]).toEqual([[], before]);
  expect(broker.executed).toHaveLength(1);
});

test('ends with close, and a call under way is of no account then', async () => {
  const { timers, broker, keeper, hold, fail, troubles } = setUp();
  hold('l');
  fail('silence');
  await timers.advance(200);
  keeper.close();
  await timers.advance(5_000);
  expect([broker.executed, troubles]).toEqual([[], []]);
});
