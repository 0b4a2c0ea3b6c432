import type { Redis } from 'ioredis';
import type { Payment } from '../../load/payment.ts';
import { startsOf, windowName, type Work } from '../../load/work.ts';
import { CountingRedis } from '../counting-redis.ts';
import type { Job, Way } from '../way.ts';
import { readSums } from './read-sums.ts';
import { script } from './script.ts';
import { type Entry, keyOf, partitionsOf, paymentOf, streamOf } from './streams.ts';

type Reply = readonly [stream: string, entries: readonly Entry[]][];

const COUNT = 256;

/**
 * The loop that everybody writes first: a consumer group, and for each record HGET, HSET and XACK, each of them awaited. A crash
 * between them counts a record twice. Windows are not closed: their sums stand in Redis from their first record on.
 */
export const naive: Way = {
  fill: (filling) => script.fill(filling),
  work: async (job) => {
    const redis = CountingRedis.connectTo(job);
    for (const partition of partitionsOf(job)) await workOff(redis, job, partition);
    await redis.quit();
    return redis.calls;
  },
  sums: (job) => readSums(job, 'results'),
  clear: async (job) => {
    await script.clear(job);
    const redis = CountingRedis.connectTo(job);
    for (const partition of partitionsOf(job)) {
      await redis.xgroup('DESTROY', streamOf(job, partition), groupOf(job));
    }
    await redis.quit();
  },
};

function groupOf({ run }: Job): string {
  return `run-${run}`;
}

async function workOff(redis: Redis, job: Job, partition: number): Promise<void> {
  const [stream, group] = [streamOf(job, partition), groupOf(job)];
  const add = adding(redis, job, partition);
  await redis.xgroup('CREATE', stream, group, '0', 'MKSTREAM');
  for (;;) {
    const reply = (await redis.xreadgroup(
      ...(['GROUP', group, 'owner', 'COUNT', COUNT, 'STREAMS', stream, '>'] as const),
    )) as Reply | null;
    if (reply === null) return;
    for (const entry of reply[0]?.[1] ?? []) {
      await add(paymentOf(entry));
      await redis.xack(stream, group, entry[0]);
    }
  }
}

/** How one payment is added to the sums in Redis. */
function adding(redis: Redis, job: Job, partition: number): (payment: Payment) => Promise<void> {
  const [results, state] = [keyOf(job, 'results', partition), keyOf(job, 'state', partition)];
  const { work } = job;
  const addTo = async (name: string, amount: number): Promise<void> => {
    const sum = Number(await redis.hget(results, name));
    await redis.hset(results, name, sum + amount);
  };
  if (work.kind === 'sum') return ({ customer, amount }) => addTo(customer, amount);
  if (work.kind === 'sessions')
    return (payment) => addToSession(redis, { state, results }, work.gap, payment);
  return async ({ customer, amount, at }) => {
    for (const name of windowNames(work, customer, at)) await addTo(name, amount);
  };
}

function windowNames(work: Extract<Work, { readonly size: number }>, customer: string, at: number): string[] {
  const { size } = work;
  const slide = work.kind === 'sliding' ? work.slide : size;
  return startsOf(at, size, slide).map((start) => windowName(customer, start, start + size));
}

/** The sum of a session stands under the name that it has so far. */
async function addToSession(
  redis: Redis,
  { state, results }: { readonly state: string; readonly results: string },
  gap: number,
  { customer, amount, at }: Payment,
): Promise<void> {
  const [start = at, last = -Infinity, sum = 0] = ((await redis.hget(state, customer)) ?? '')
    .split('|')
    .flatMap((text) => (text === '' ? [] : Number(text)));
  const goesOn = at - last < gap;
  if (goesOn) await redis.hdel(results, windowName(customer, start, last + gap));
  const next = goesOn ? { start, sum: sum + amount } : { start: at, sum: amount };
  await redis.hset(results, windowName(customer, next.start, at + gap), next.sum);
  await redis.hset(state, customer, `${next.start}|${at}|${next.sum}`);
}
