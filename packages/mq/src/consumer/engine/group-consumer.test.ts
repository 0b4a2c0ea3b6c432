import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from '@jest/globals';
import { DIAGNOSTICS_CHANNELS } from '@rs/core';
import fc from 'fast-check';
import { type GroupSetup, type Member, SimulatedGroup } from '../../test-support/simulated-group.ts';

const SETUP: GroupSetup = {
  seed: 1,
  partitions: 1,
  lease: 3_000,
  pollTimeout: 1_000,
  rebalanceInterval: 300,
  subscription: {},
  batch: undefined,
};
const CALM = { faulty: 0, latency: 0 } as const;

function groupOf(setup: Partial<GroupSetup> = {}): SimulatedGroup {
  const group = new SimulatedGroup({ ...SETUP, ...setup });
  group.weather = CALM;
  return group;
}

const within = (ms: number) => fc.nat({ max: ms });
/** Partitions that a member has. */
const partitionsOf = ({ consumer }: Member): number[] =>
  consumer.status().partitions.map(({ partition }) => partition);
const acquires = (group: SimulatedGroup, { name }: Member): number =>
  group.broker.callsOf('acquire-partition').filter(({ client }) => client === name).length;

describe('membership', () => {
  test('partitions are shared, and a new member has its share after one look at the group', async () => {
    const group = groupOf({ partitions: 4 });
    const first = await group.start();
    expect(partitionsOf(first)).toHaveLength(4);
    const second = await group.start();
    await group.time.advance(300 + 250);
    expect([partitionsOf(first).length, partitionsOf(second).length]).toEqual([2, 2]);
    expect(new Set([...partitionsOf(first), ...partitionsOf(second)]).size).toBe(4);
  });

  test('a partition goes over when its handler has ended, and the outcome is stored', async () => {
    const group = groupOf({ partitions: 2 });
    const first = await group.start();
    for (const key of [0, 1]) group.send(key, { behaviours: ['ok'], takes: 2_000 });
    await group.time.advance(100);
    const second = await group.start();
    await group.time.advance(1_500);
    expect(partitionsOf(second)).toEqual([]);
    await group.time.advance(1_000);
    expect([partitionsOf(first).length, partitionsOf(second).length]).toEqual([1, 1]);
    expect([group.watch.missing(), group.watch.rest(), [...group.watch.violations]]).toEqual([[], [], []]);
  });

  test('what a member leaves by crashing is taken over within its lease and a second', async () => {
    const group = groupOf({ partitions: 3 });
    const first = await group.start();
    const second = await group.start();
    await group.time.advance(1_000);
    expect(partitionsOf(second)).toHaveLength(1);
    first.process.kill();
    await group.time.until(() => partitionsOf(second).length === 3, 3_000 + 1_000);
  });

  test('a partition that others take meanwhile, and a process in the place of the dead one, hold nothing up', async () => {
    const [lease, rebalanceInterval, partitions] = [15_000, 3_000, 8];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          joined: fc.tuple(within(lease), within(lease)),
          killed: within(20_000),
          replaced: within(16_000),
          victim: fc.nat(2),
        }),
        async ({ joined, killed, replaced, victim }) => {
          const group = groupOf({ partitions, lease, rebalanceInterval });
          await group.start();
          for (const after of joined) {
            await group.time.advance(after);
            await group.start();
          }
          await group.time.advance(killed);
          group.members[victim]?.process.kill();
          group.time.at(group.time.now + replaced, () => void group.start());
          const ofThoseAlive = (): Set<number> => new Set(group.alive().flatMap(partitionsOf));
          await group.time.until(() => ofThoseAlive().size === partitions, lease + 1_000);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('while a partition stays with another member, one question at a time is asked for it', async () => {
    const group = groupOf({ partitions: 2, subscription: { handlerTimeout: 60_000 } });
    await group.start();
    for (const key of [0, 1]) group.send(key, { behaviours: ['stuck'], takes: 0 });
    await group.time.advance(100);
    const second = await group.start();
    await group.time.advance(10_000);
    const before = acquires(group, second);
    await group.time.advance(10_000);
    // Every 250 ms, and with every look at the group, which takes the place of a question.
    expect(acquires(group, second) - before).toBeLessThanOrEqual(10_000 / 250 + 10_000 / 300);
  });

  test('what was given up is acquired again at once: nobody waits for the end of a lease of its own', async () => {
    const group = groupOf();
    await group.start();
    group.send(0, { behaviours: ['ok'], takes: 0 });
    await group.time.advance(100);
    group.destroyGroup(0);
    group.send(0, { behaviours: ['ok'], takes: 0 });
    await group.time.advance(400);
    expect([group.watch.missing(), group.watch.rest()]).toEqual([[], []]);
  });
});

describe('start', () => {
  test('of a topic that is not there is refused; later the same consumer starts', async () => {
    const group = groupOf();
    group.broker.redis.flush();
    const member = group.join();
    await expect(member.consumer.start()).rejects.toMatchObject({ code: 'RS_UNKNOWN_TOPIC' });
    group.flush();
    await member.consumer.start();
    group.send(0, { behaviours: ['ok'], takes: 0 });
    await group.time.advance(10);
    expect([group.watch.missing(), member.consumer.status().state]).toEqual([[], 'running']);
  });

  test('a pause before it holds', async () => {
    const group = groupOf();
    const member = group.join();
    await member.consumer.pause();
    await member.consumer.start();
    group.send(0, { behaviours: ['ok'], takes: 0 });
    await group.time.advance(1_000);
    expect([group.watch.missing().length, member.consumer.status().state]).toEqual([1, 'paused']);
    member.consumer.resume();
    await group.time.advance(1_000);
    expect(group.watch.missing()).toEqual([]);
  });
});

describe('close', () => {
  /** Milliseconds that it takes. */
  async function closing(group: SimulatedGroup, member: Member, timeout: number): Promise<number> {
    const from = group.time.now;
    group.close(member, timeout);
    await group.time.until(() => member.closed !== undefined, 60_000);
    return group.time.now - from;
  }

  test('of an idle consumer takes no time and leaves nothing', async () => {
    const group = groupOf({ partitions: 3 });
    const member = await group.start();
    await group.time.advance(500);
    expect(await closing(group, member, 5_000)).toBe(0);
    expect(member.closed).toEqual({ abandoned: 0, unreleased: 0 });
    const { redis } = group.broker;
    expect(group.keys.map(({ lease }) => redis.hash(lease).get('token'))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const calls = group.broker.executed.length;
    await group.time.advance(60_000);
    expect(group.broker.executed).toHaveLength(calls);
  });

  test('waits for handlers; in the last fifth of its time it tells them to give up, which costs no attempt', async () => {
    const group = groupOf({ partitions: 2 });
    const member = await group.start();
    group.send(0, { behaviours: ['ok'], takes: 700 });
    group.send(1, { behaviours: ['hang'], takes: 0 });
    await group.time.advance(0);
    expect(await closing(group, member, 1_000)).toBe(800);
    expect(member.closed).toEqual({ abandoned: 0, unreleased: 0 });
    expect(group.watch.missing()).toEqual([expect.stringMatching(/^1 /)]);
    expect(group.broker.redis.hash(group.keys[1]?.attempts ?? '').size).toBe(0);
  });

  test('leaves handlers that do not give up, in time', async () => {
    const group = groupOf();
    const member = await group.start();
    group.send(0, { behaviours: ['stuck'], takes: 0 });
    await group.time.advance(0);
    expect(await closing(group, member, 1_000)).toBeLessThanOrEqual(1_500);
    expect(member.closed).toEqual({ abandoned: 1, unreleased: 1 });
  });

  test.each(['refused', 'lost', 'no reply', 'silence'] as const)(
    'ends in time when Redis is away: %s',
    async (fault) => {
      const group = groupOf({ partitions: 3 });
      const member = await group.start();
      for (const key of [0, 1, 2]) group.send(key, { behaviours: ['ok'], takes: 50 });
      await group.time.advance(10);
      group.broker.fate = () => ({ fault });
      expect(await closing(group, member, 1_000)).toBeLessThanOrEqual(1_500);
    },
  );

  test('while it starts', async () => {
    const group = groupOf();
    group.weather = { faulty: 0, latency: 100 };
    const member = group.join();
    const started = member.consumer.start().catch((error: unknown) => error);
    expect(await closing(group, member, 1_000)).toBeLessThanOrEqual(1_500);
    expect(await started).toMatchObject({ code: 'RS_CLOSED' });
    await group.time.advance(5_000);
    expect(group.broker.redis.hash(group.keys[0]?.lease ?? '').get('token')).toBeUndefined();
  });

  test('says which leases were not given back for sure', async () => {
    const group = groupOf({ partitions: 3 });
    const member = await group.start();
    group.broker.fate = (name) => (name === 'release-partition' ? { fault: 'refused' } : {});
    await closing(group, member, 1_000);
    expect(member.closed).toEqual({ abandoned: 0, unreleased: 3 });
  });

  test('a topic that fails to leave takes nothing from the handlers of another', async () => {
    const group = groupOf();
    const member = group.join();
    group.broker.createTopic('idle', 1);
    member.consumer.subscribe('idle', () => undefined);
    await member.consumer.start();
    group.send(0, { behaviours: ['ok'], takes: 700 });
    await group.time.advance(10);
    group.broker.fate = (name) => (name === 'meet-group' ? { fault: 'forbidden' } : {});
    expect(await closing(group, member, 1_000)).toBeGreaterThanOrEqual(650);
    expect(member.closed).toEqual({ abandoned: 0, unreleased: 0 });
    expect(group.watch.missing()).toEqual([]);
  });

  test('gives back what was being acquired, also when the reply was lost', async () => {
    const group = groupOf({ partitions: 2 });
    let acquired = 0;
    group.broker.fate = (name) => {
      if (name !== 'acquire-partition') return {};
      acquired++;
      return acquired === 1 ? { fault: 'no reply' } : { back: 100 };
    };
    const member = group.join();
    const started = member.consumer.start();
    await group.time.until(() => acquired === 2, 1_000);
    expect(await closing(group, member, 1_000)).toBeLessThanOrEqual(100);
    await started;
    expect(member.closed).toEqual({ abandoned: 0, unreleased: 0 });
    const { redis } = group.broker;
    expect(group.keys.map(({ lease }) => redis.hash(lease).get('token'))).toEqual([undefined, undefined]);
  });

  test('what is acknowledged while the lease is given back is no loss of the partition', async () => {
    const lost: unknown[] = [];
    const onLost = (event: unknown): void => void lost.push(event);
    subscribe(DIAGNOSTICS_CHANNELS.partitionLost, onLost);
    const group = groupOf({ subscription: { ack: 'manual' } });
    const member = await group.start();
    group.send(0, { behaviours: ['ok'], takes: 150 });
    await group.time.advance(100);
    group.broker.fate = (name) => (name === 'release-partition' ? { back: 200 } : {});
    await closing(group, member, 1_000);
    await group.time.advance(1_000);
    unsubscribe(DIAGNOSTICS_CHANNELS.partitionLost, onLost);
    expect([lost, member.closed]).toEqual([[], { abandoned: 0, unreleased: 0 }]);
  });

  test('rejects what are no options', async () => {
    const { consumer } = groupOf().join();
    await expect(consumer.close({ timeout: 'soon' as never })).rejects.toMatchObject({
      code: 'RS_INVALID_DURATION',
    });
    await expect(consumer.close(null as never)).rejects.toMatchObject({ code: 'RS_INVALID_ARGUMENT' });
  });
});

describe('a signal', () => {
  test('ends the waiting for start, which goes on', async () => {
    const group = groupOf();
    group.weather = { faulty: 0, latency: 100 };
    const member = group.join();
    const controller = new AbortController();
    const started = member.consumer.start({ signal: controller.signal }).catch((error: unknown) => error);
    controller.abort('enough');
    expect(await started).toBe('enough');
    await group.time.advance(1_000);
    expect(partitionsOf(member)).toEqual([0]);
  });

  test('ends the waiting for handlers to end, and the pause stands', async () => {
    const group = groupOf();
    const member = await group.start();
    group.send(0, { behaviours: ['ok'], takes: 500 });
    await group.time.advance(100);
    const controller = new AbortController();
    const paused = member.consumer.pause({ signal: controller.signal }).catch((error: unknown) => error);
    controller.abort('enough');
    expect(await paused).toBe('enough');
    expect(member.consumer.status()).toMatchObject({ state: 'paused', partitions: [{ state: 'paused' }] });
  });
});

describe('a partition whose outcomes cannot be stored', () => {
  test('is given up and asked for again, more and more seldom, until they can', async () => {
    const group = groupOf();
    const member = await group.start();
    group.broker.fate = (name) => (name === 'settle-messages' ? { fault: 'forbidden' } : {});
    group.send(0, { behaviours: ['ok'], takes: 0 });
    await group.time.advance(120_000);
    expect(acquires(group, member)).toBeGreaterThan(3);
    // It would be thousands without the rests, and 240 with the first one only.
    expect(acquires(group, member)).toBeLessThan(15);
    group.broker.fate = () => ({});
    await group.time.until(() => group.watch.rest().length === 0, 31_000);
  });
});
