import {
  defineJob,
  type JobDefinition,
  type KeyedProcessFunction,
  type ValueState,
  valueState,
} from '@rs/core';
import { redisHash } from '@rs/runtime-redis';
import type { Redis } from 'ioredis';
import type { Payment } from '../../load/payment.ts';
import type { Place } from '../way.ts';
import { PAYMENTS } from './job.ts';

export const JOB = 'counts';

interface Counted {
  readonly at: number;
  /** Which one of its customer it is, from 1. */
  readonly count: number;
}

/** Numbers the payments of each customer, as long as it runs. What it has numbered stands in Redis with the commit. */
export function countingJob(): JobDefinition {
  return defineJob((env) => {
    env
      .fromTopic(PAYMENTS, JOB)
      .keyByMessageKey({ uid: 'by-customer' })
      .process(numbering(), { uid: 'counts' })
      .addSink(redisHash<Counted>('counts', { field: ({ at }) => at, value: ({ count }) => count }), {
        uid: 'counted',
      });
  });
}

function numbering(): KeyedProcessFunction<string, Payment, Counted> {
  const descriptor = valueState('count', { default: () => 0 });
  let count: ValueState<number>;
  return {
    open: (ctx) => {
      count = ctx.state(descriptor);
    },
    processElement: (_key, { at }, _ctx, out) => {
      count.update(count.value() + 1);
      out.collect({ at, count: count.value() });
    },
  };
}

/** The numbers by time of the payment. */
export async function readCounts(redis: Redis, { prefix, partitions }: Place): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const key of keysOf(prefix, partitions)) {
    for (const [at, count] of Object.entries(await redis.hgetall(key))) counts.set(Number(at), Number(count));
  }
  return counts;
}

/** How many payments are numbered. */
export async function countedIn(redis: Redis, { prefix, partitions }: Place): Promise<number> {
  const lengths = await Promise.all(keysOf(prefix, partitions).map((key) => redis.hlen(key)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

function keysOf(prefix: string, partitions: number): string[] {
  return Array.from(
    { length: partitions },
    (_, partition) => `${prefix}:{${PAYMENTS.name}#${partition}}:p${partition}:k:${JOB}:counts`,
  );
}
