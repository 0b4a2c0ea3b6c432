import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime } from '../test-support/fake-timers.ts';
import { SharedRedis } from '../test-support/shared-redis.ts';
import { LEASE, type ProcessOptions, SimulatedProcess } from '../test-support/simulated-job.ts';

function setUp(options: ProcessOptions = { partitions: 8 }) {
  const time = new FakeTime();
  const redis = new SharedRedis(time);
  const processes: SimulatedProcess[] = [];
  const start = async (name: string, more: Partial<ProcessOptions> = {}): Promise<SimulatedProcess> => {
    const process = new SimulatedProcess(redis, name, { ...options, ...more });
    processes.push(process);
    await process.loop.begin();
    return process;
  };
  /** How many partitions each process works on. */
  const shares = (): number[] => processes.map(({ working }) => working.size);
  const owners = (partition: number): string[] =>
    processes.filter(({ working }) => working.has(partition)).map(({ name }) => name);
  const eachHasOne = (): boolean =>
    Array.from({ length: options.partitions }, (_, at) => at).every((at) => owners(at).length === 1);
  return { time, redis, processes, start, shares, owners, eachHasOne };
}

test('one process owns all, as soon as it has begun', async () => {
  const { start, shares } = setUp();
  const { loop } = await start('a');
  expect(shares()).toEqual([8]);
  expect(loop.unowned).toEqual({ 'source-0': [] });
});

test('another one gets its share, by and by, and nothing is owned twice meanwhile', async () => {
  const { time, start, shares, owners, eachHasOne } = setUp();
  const a = await start('a');
  a.stopTakes = 100;
  await start('b');
  await time.until(() => shares().join() === '4,4', 3_000);
  expect(eachHasOne()).toBe(true);
  expect(owners(0)).toHaveLength(1);
  // It was asked to stop, not to drain: what it is processing is the next owner's.
  expect(a.runners.flatMap(({ told }) => told)).toEqual(['stop', 'stop', 'stop', 'stop']);
  expect(a.events.filter((event) => event.startsWith('released'))).toHaveLength(4);
});

test('a process that leaves has its partitions taken over at once', async () => {
  const { time, start, shares } = setUp();
  const a = await start('a');
  await start('b');
  await time.until(() => shares().join() === '4,4', 3_000);
  const at = time.now;
  const leaving = a.leave();
  await time.until(() => shares().join() === '0,8', 2_000);
  await leaving;
  expect(time.now - at).toBeLessThanOrEqual(1_100);
});

test('those of one that crashed are taken over within the lease and a second', async () => {
  const { time, start, shares, eachHasOne } = setUp();
  const a = await start('a');
  await start('b');
  await start('c');
  await time.until(() => shares().toSorted().join() === '2,3,3', 3_000);
  const at = time.now;
  a.timers.kill();
  await time.until(eachHasOne, 10_000);
  expect(time.now - at).toBeLessThanOrEqual(LEASE.ttl + 1_000);
  expect(shares()[0]).toBe(0);
});

test('one that was stopped past its lease loses its tasks before anything else, and gets a share again', async () => {
  const { time, start, shares, eachHasOne } = setUp();
  const a = await start('a');
  await start('b');
  await time.until(() => shares().join() === '4,4', 3_000);
  a.timers.stop();
  await time.advance(LEASE.stored + 1_500);
  expect(shares()).toEqual([0, 8]);
  const held = a.runners.filter(({ state }) => state === 'running');
  expect(held).toHaveLength(4);
  a.timers.continue();
  await time.settle();
  await time.until(() => held.every(({ told }) => told.includes('lost')), 1_000);
  await time.until(() => shares().join() === '4,4', 5_000);
  expect(eachHasOne()).toBe(true);
});

test('a pause that is shorter than the lease costs nothing', async () => {
  const { time, start, shares } = setUp();
  const a = await start('a');
  await start('b');
  await time.until(() => shares().join() === '4,4', 3_000);
  a.timers.stop();
  await time.advance(LEASE.ttl - 100);
  a.timers.continue();
  await time.advance(5_000);
  expect(a.events.filter((event) => event.startsWith('lost'))).toEqual([]);
  expect(shares()).toEqual([4, 4]);
});

test('an acquisition whose reply was lost is found again', async () => {
  const { time, redis, start, shares } = setUp({ partitions: 1 });
  let first = true;
  redis.fate = (what) => {
    if (what !== 'acquire' || !first) return {};
    first = false;
    return { fault: 'no reply' };
  };
  const a = await start('a');
  expect(shares()).toEqual([0]);
  await time.until(() => shares().join() === '1', 1_000);
  expect(a.events).toEqual(['trouble 0', 'acquired 0']);
  expect(redis.epochs.get(0)).toBe(1);
});

test('a task that was lost rests for a while, and longer each time', async () => {
  const { time, start } = setUp({ partitions: 1 });
  const a = await start('a');
  const rests: number[] = [];
  for (let round = 0; round < 3; round++) {
    const runner = a.runners.at(-1);
    const at = time.now;
    runner?.lose(new RsError('RS_LEASE_LOST', 'gone'));
    await time.until(() => a.runners.at(-1) !== runner, 10_000);
    rests.push(time.now - at);
  }
  expect(rests[0]).toBeGreaterThanOrEqual(500);
  expect(rests[1]).toBeGreaterThanOrEqual(1_000);
  expect(rests[2]).toBeGreaterThanOrEqual(2_000);
  expect(rests[2]).toBeLessThan(4_000);
});

test('what one cannot work on, another takes meanwhile', async () => {
  const { time, start, owners } = setUp({ partitions: 2 });
  const a = await start('a');
  const b = await start('b');
  await time.until(() => a.working.size === 1 && b.working.size === 1, 5_000);
  const [partition = -1] = a.working.keys();
  // The third rest is long enough for the others to notice.
  for (let round = 0; round < 3; round++) {
    await time.until(() => a.working.has(partition) || b.working.has(partition), 10_000);
    a.working.get(partition)?.lose(new RsError('RS_LEASE_LOST', 'gone'));
  }
  await time.until(() => owners(partition).join() === 'b', 10_000);
});

test('no process takes more than it may, and what is left is told', async () => {
  const { time, start, shares } = setUp({ partitions: 8, maxPartitions: 3 });
  const a = await start('a');
  await start('b');
  await time.until(() => shares().join() === '3,3', 5_000);
  await time.advance(3_000);
  expect(a.loop.unowned?.['source-0']).toHaveLength(2);
  await start('c');
  await time.until(() => shares().toSorted().join() === '2,3,3', 5_000);
  await time.advance(3_000);
  expect(a.loop.unowned).toEqual({ 'source-0': [] });
});

test('a paused job pauses also what it acquires later', async () => {
  const { start } = setUp({ partitions: 2 });
  const a = await start('a');
  a.tasks.pause();
  expect(a.runners.map(({ told }) => told)).toEqual([['pause'], ['pause']]);
  const again = a.runners[0];
  again?.lose(new RsError('RS_LEASE_LOST', 'gone'));
  const { timers } = a;
  await timers.time.until(() => a.runners.length === 3, 5_000);
  expect(a.runners[2]?.told).toEqual(['paused']);
  a.tasks.resume();
  expect(a.runners[2]?.told).toEqual(['paused', 'resume']);
});

test('draining is passed on, and hurry ends it', async () => {
  const { start } = setUp({ partitions: 1 });
  const a = await start('a');
  a.stopTakes = 1_000_000;
  const closing = a.tasks.close({ drain: true });
  a.tasks.hurry();
  expect(a.runners[0]?.told).toEqual(['drain', 'stop']);
  a.runners[0]?.lose(new RsError('RS_LEASE_LOST', 'gone'));
  await closing;
  expect(a.tasks.unreleased).toBe(0);
});

test('a task that cannot go on is told', async () => {
  const { time, start } = setUp({ partitions: 2 });
  const a = await start('a');
  const error = new RsError('RS_INVALID_VALUE', 'poison');
  a.runners[0]?.fail(error);
  await time.settle();
  expect(a.failure).toBe(error);
  expect(a.events).toContain('failed 0');
});

test('errors of a meeting are told, and the next one comes', async () => {
  const { time, redis, start, shares } = setUp();
  const a = await start('a');
  redis.fate = (what) => (what === 'meet' ? { fault: 'lost' } : {});
  await time.advance(2_500);
  expect(a.events).toContain('not met');
  expect(a.loop.trouble).toBeDefined();
  redis.fate = () => ({});
  await start('b');
  await time.until(() => shares().join() === '4,4', 5_000);
  expect(a.loop.trouble).toBeUndefined();
});

test('the first meeting may fail: then nothing has begun', async () => {
  const { redis, start } = setUp();
  redis.fate = () => ({ fault: 'lost' });
  await expect(start('a')).rejects.toThrow('the connection is lost');
});

test('a process that works by another definition than the others is expelled', async () => {
  const { time, redis, start } = setUp();
  const a = await start('a');
  redis.manifest = 'another';
  await time.until(() => a.expelled !== undefined, 2_000);
  expect(a.expelled?.code).toBe('RS_MANIFEST_MISMATCH');
  const meetings = a.events.length;
  await time.advance(5_000);
  expect(a.events).toHaveLength(meetings);
});

test('a manifest that Redis has lost is written down again', async () => {
  const { time, redis, start, shares } = setUp();
  const a = await start('a');
  redis.manifest = undefined;
  await time.advance(2_000);
  expect([redis.manifest, a.expelled, shares()]).toEqual(['h', undefined, [8]]);
});

test('a bounded job has finished when all of its tasks have ended, wherever they were', async () => {
  const { time, redis, start, shares } = setUp({ partitions: 4, bounded: true });
  const a = await start('a');
  const b = await start('b');
  await time.until(() => shares().join() === '2,2', 5_000);
  for (const runner of a.working.values()) runner.finish();
  await time.advance(3_000);
  // What has ended is nobody's any more, and the rest is shared.
  expect([shares(), a.finished, b.finished]).toEqual([[1, 1], false, false]);
  for (const runner of [...a.working.values(), ...b.working.values()]) runner.finish();
  await time.until(() => a.finished && b.finished, 3_000);
  expect([...redis.ended].sort()).toEqual(['source-0:0', 'source-0:1', 'source-0:2', 'source-0:3']);

  const again = new SimulatedProcess(redis, 'c', { partitions: 4, bounded: true });
  await again.loop.begin();
  expect([again.finished, again.runners]).toEqual([true, []]);
});

test('who ends a task and is gone before it told so has told nobody: another one ends it again', async () => {
  const { time, redis, start, owners } = setUp({ partitions: 1, bounded: true });
  const a = await start('a');
  redis.fate = (what, member) => (what === 'meet' && member === 'a' ? { fault: 'lost' } : {});
  a.runners[0]?.finish();
  await time.settle();
  a.timers.kill();
  const b = await start('b');
  await time.until(() => owners(0).join() === 'b', 10_000);
  b.runners[0]?.finish();
  await time.until(() => b.finished, 3_000);
});
