import { partitionOf } from '@rs/core';
import type { Redis } from 'ioredis';
import { type Payment, payments } from '../../load/payment.ts';
import type { Filling, Job, Place } from '../way.ts';

const APPEND = `for at = 1, #ARGV do redis.call('XADD', KEYS[1], '*', 'd', ARGV[at]) end`;
const BATCH = 256;

export type Entry = readonly [id: string, fields: readonly string[]];

/** The stream that stands for a partition. */
export function streamOf({ prefix }: Pick<Place, 'prefix'>, partition: number): string {
  return `${prefix}:payments:${partition}`;
}

/** What a pass keeps for a partition. */
export function keyOf(
  { prefix, run }: Pick<Job, 'prefix' | 'run'>,
  what: 'own' | 'state' | 'results',
  partition: number,
): string {
  return `${prefix}:run-${run}:${what}:${partition}`;
}

export function partitionsOf({ partitions }: Pick<Job, 'partitions'>): number[] {
  return Array.from({ length: partitions }, (_, partition) => partition);
}

/** Batches are on their way together: one connection keeps their order. */
export async function fillStreams(redis: Redis, filling: Filling): Promise<void> {
  const { partitions, work, records } = filling;
  const sha1 = String(await redis.script('LOAD', APPEND));
  const batches = partitionsOf({ partitions }).map((): string[] => []);
  const appends: Promise<unknown>[] = [];
  const append = (partition: number, batch: string[]): void => {
    if (batch.length > 0)
      appends.push(redis.evalsha(sha1, 1, streamOf(filling, partition), ...batch.splice(0)));
  };
  for (const payment of payments(records, work.customers)) {
    const partition = partitionOf(payment.customer, partitions);
    const batch = batches[partition] ?? [];
    batch.push(JSON.stringify(payment));
    if (batch.length === BATCH) append(partition, batch);
    if (appends.length === 100) await Promise.all(appends.splice(0));
  }
  batches.forEach((batch, partition) => append(partition, batch));
  await Promise.all(appends);
}

export function paymentOf([, fields]: Entry): Payment {
  return JSON.parse(fields[1] ?? '') as Payment;
}
