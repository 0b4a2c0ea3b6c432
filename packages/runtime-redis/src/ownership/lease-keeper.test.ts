import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { leaseTimes } from '@rs/mq';
import type { TaskPlace } from '../keys/task-place.ts';
import { FakeTimers } from '../test-support/fake-timers.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { HeldLease } from './task-leases.ts';

const TIMES = leaseTimes(1_000); // renewed every 200 ms, stored for 1,200 ms

class Held {
  readonly place: TaskPlace;
  readonly token: string;
  deadline: number;
  readonly lost: string[] = [];

  constructor(partition: number, deadline: number) {
    this.place = {
      ...{ prefix: 'rs', job: 'counting', task: 'source-0', topic: 'orders', group: 'g' },
      ...{ partition, topicShards: 2, stateShards: 1 },
    };
    this.token = `token of ${partition}`;
    this.deadline = deadline;
  }

  renewed(deadline: number): void {
    this.deadline = deadline;
  }

  lose({ code, message }: RsError): void {
    this.lost.push(`${code} ${message}`);
  }
}

function setUp({ topology = 'single' }: { topology?: 'single' | 'cluster' } = {}) {
  const timers = new FakeTimers();
  const troubles: unknown[] = [];
  const calls: (readonly number[])[] = [];
  const others = new Set<number>();
  const network = { takes: 0, fails: false };
  const keeper = new LeaseKeeper({
    topology,
    times: TIMES,
    timers,
    onTrouble: (error) => troubles.push(error),
    leases: {
      renew: (leases: readonly HeldLease[]) => {
        const partitions = leases.map(({ place }) => place.partition);
        calls.push(partitions);
        return new Promise((resolve, reject) => {
          timers.after(network.takes, () => {
            if (network.fails) reject(new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost'));
            else resolve(partitions.map((partition) => !others.has(partition)));
          });
        });
      },
    },
  });
  const hold = (partition: number): Held => {
    const held = new Held(partition, timers.monotonic() + TIMES.stored);
    keeper.add(held);
    return held;
  };
  return { timers, keeper, troubles, calls, others, network, hold };
}

test('renews in time, and counts from before the call', async () => {
  const { timers, network, hold } = setUp();
  const held = hold(0);
  const begun = timers.monotonic();
  network.takes = 110;
  await timers.advance(309);
  expect(held.deadline).toBe(begun + 1_200);
  await timers.advance(1);
  expect(held.deadline).toBe(begun + 200 + 1_200);
  await timers.advance(10_000);
  expect([held.lost, held.deadline > timers.monotonic()]).toEqual([[], true]);
});

test('one call for all on a single server, one for each slot in a cluster', async () => {
  for (const topology of ['single', 'cluster'] as const) {
    const { timers, calls, hold } = setUp({ topology });
    for (const partition of [0, 1, 2]) hold(partition);
    await timers.advance(200);
    expect(calls).toEqual(topology === 'single' ? [[0, 1, 2]] : [[0, 2], [1]]);
  }
});

test('one that another owner has is lost, the others are not', async () => {
  const { timers, calls, others, hold } = setUp();
  const [mine, another] = [hold(0), hold(1)];
  others.add(1);
  await timers.advance(200);
  expect([mine.lost, another.lost]).toEqual([
    [],
    [expect.stringMatching(/^RS_LEASE_LOST .*job 'counting'.*partition 1 of topic 'orders'.*another owner/)],
  ]);
  await timers.advance(200);
  expect(calls.at(-1)).toEqual([0]);
});

test('an error says nothing about the lease, silence until the deadline does', async () => {
  const { timers, troubles, network, hold } = setUp();
  const held = hold(0);
  network.fails = true;
  await timers.advance(1_199);
  expect(held.lost).toEqual([]);
  expect(troubles.length).toBeGreaterThan(0);
  await timers.advance(1);
  expect(held.lost).toEqual([expect.stringMatching(/^RS_LEASE_LOST .*in time.*1000 ms/)]);
});

test('one that was given up while its renewal was under way is left alone', async () => {
  const { timers, keeper, others, network, hold } = setUp();
  const held = hold(0);
  network.takes = 50;
  others.add(0);
  await timers.advance(210);
  keeper.remove(held);
  await timers.advance(5_000);
  expect(held.lost).toEqual([]);
});

test('after close nothing is renewed', async () => {
  const { timers, keeper, calls, hold } = setUp();
  hold(0);
  keeper.close();
  await timers.advance(5_000);
  expect(calls).toEqual([]);
});
