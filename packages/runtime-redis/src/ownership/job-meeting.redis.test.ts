import { afterEach, expect, test } from '@jest/globals';
import { systemClock } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { JobKeys } from '../keys/job-keys.ts';
import { until } from '../test-support/use-jobs.ts';
import { useStore } from '../test-support/use-store.ts';
import { JobMeeting, type StoredManifest } from './job-meeting.ts';

const bench = useStore(useRedis());
const A: StoredManifest = { hash: 'a', text: '{"a":1}' };
const B: StoredManifest = { hash: 'b', text: '{"b":1}' };
const NOBODY = { owned: {}, unable: {} };

let jobs = 0;
afterEach(() => {
  jobs++;
});

function keys(): JobKeys {
  return new JobKeys({ prefix: `meeting-${process.pid}`, job: `job${jobs}` });
}

function member(id: string, ttl = 60_000): JobMeeting {
  return new JobMeeting({ client: bench.client(), keys: keys(), member: id, ttl });
}

test('a job that nobody has started has no manifest; the first member writes it down', async () => {
  const first = member('first');
  expect(await first.manifest()).toBeUndefined();
  expect(await first.join(A, '', '{"s":["1-0"]}')).toEqual({ type: 'joined', ends: '{"s":["1-0"]}' });
  const second = member('second');
  expect(await second.manifest()).toEqual({ ...A, ends: '{"s":["1-0"]}' });
  // Who comes later takes what was fixed.
  expect(await second.join(A, 'a', '{"s":["9-0"]}')).toEqual({ type: 'joined', ends: '{"s":["1-0"]}' });
});

test('members learn of each other, what they own, and how long the first of them counts as there', async () => {
  const [one, two] = [member('one'), member('two', 5_000)];
  await one.join(A, '', '{}');
  await two.join(A, 'a', '{}');
  await two.attend({ owned: { s: [1, 3] }, unable: { s: [0] }, max: 2 }, 'a', 0, []);
  const met = await one.attend({ owned: { s: [2] }, unable: {} }, 'a', 0, []);
  expect(met).toMatchObject({
    type: 'met',
    members: expect.arrayContaining([
      { id: 'one', owned: { s: [2] }, unable: {} },
      { id: 'two', owned: { s: [1, 3] }, unable: { s: [0] }, max: 2 },
    ]),
    ended: undefined,
  });
  expect(met).toHaveProperty('firstExpiry', expect.any(Number));
  const left = met.type === 'met' ? (met.firstExpiry ?? 0) : 0;
  expect([left > 0, left <= 5_000]).toEqual([true, true]);
});

test('who leaves is not there any more, nor is one whose time is over', async () => {
  const [one, two, three] = [member('one'), member('two'), member('three', 1)];
  await one.join(A, '', '{}');
  await two.join(A, 'a', '{}');
  await three.join(A, 'a', '{}');
  await two.leave('a', []);
  await bench.redis.hset(keys().members, 'four', `1 1000 {}`);
  await until('nobody else is there', async () => {
    const met = await one.attend(NOBODY, 'a', 0, []);
    return met.type === 'met' && met.members.map(({ id }) => id).join() === 'one';
  });
  expect(await bench.redis.hkeys(keys().members)).toEqual(['one']);
});

test('nobody counts as there for longer than it said, when the clock goes back', async () => {
  const one = member('one');
  await one.join(A, '', '{}');
  await bench.redis.hset(keys().members, 'two', `${systemClock.now() + 9_000_000} 700 {}`);
  const met = await one.attend(NOBODY, 'a', 0, []);
  expect(met.type === 'met' && met.firstExpiry).toBe(700);
});

test('ended tasks are told to whoever does not know all of them', async () => {
  const [one, two] = [member('one'), member('two')];
  await one.join(A, '', '{}');
  await two.join(A, 'a', '{}');
  await one.attend(NOBODY, 'a', 2, ['s:0', 's:1']);
  expect(await two.attend(NOBODY, 'a', 0, [])).toMatchObject({
    ended: expect.arrayContaining(['s:0', 's:1']),
  });
  expect(await two.attend(NOBODY, 'a', 2, [])).toMatchObject({ ended: undefined });
  await one.leave('a', ['s:2']);
  expect(await two.attend(NOBODY, 'a', 2, [])).toMatchObject({ ended: expect.arrayContaining(['s:2']) });
});

test('another definition waits until nobody is there', async () => {
  const [one, other] = [member('one'), member('other')];
  await one.join(A, '', '{}');
  expect(await other.join(B, 'a', '{}')).toEqual({ type: 'live', members: ['one'] });
  await one.leave('a', []);
  // It is not what it has been compared with.
  expect(await other.join(B, 'x', '{}')).toEqual({ type: 'changed' });
  expect(await other.join(B, 'a', '{"s":[]}')).toEqual({ type: 'joined', ends: '{"s":[]}' });
  expect(await other.manifest()).toEqual({ ...B, ends: '{"s":[]}' });
  // Who was away meanwhile is no member any more.
  expect(await one.attend(NOBODY, 'a', 0, [])).toEqual({ type: 'other' });
  expect(await bench.redis.hkeys(keys().members)).toEqual(['other']);
});

test('a manifest that is gone is told', async () => {
  const one = member('one');
  await one.join(A, '', '{}');
  await bench.redis.del(keys().manifest);
  expect(await one.attend(NOBODY, 'a', 0, [])).toEqual({ type: 'lost' });
  expect(await one.join(A, '', '{}')).toEqual({ type: 'joined', ends: '{}' });
});

test('facts that cannot be read count as nothing owned', async () => {
  const one = member('one');
  await one.join(A, '', '{}');
  await bench.redis.hset(keys().members, 'two', `${systemClock.now() + 60_000} 60000 what?`);
  await bench.redis.hset(
    keys().members,
    'three',
    `${systemClock.now() + 60_000} 60000 {"owned":{"s":"all"},"max":"x"}`,
  );
  const met = await one.attend(NOBODY, 'a', 0, []);
  expect(met).toMatchObject({
    members: expect.arrayContaining([
      { id: 'two', owned: {}, unable: {} },
      { id: 'three', owned: { s: [] }, unable: {} },
    ]),
  });
});
