import { redisHash, redisStream } from '@rs/runtime-redis';
import type { Redis } from 'ioredis';
import type { Flight } from '../flight.ts';
import type { WindowDelays } from '../job.ts';
import type { DelayAlert } from '../rising-delays.ts';
import { FLIGHTS } from '../source.ts';

export const JOB = 'delays';
const WINDOWS = 'windows';
const LATE = 'late';
const ALERTS = 'alerts';

/** All write with the commit that makes the result: after a crash nothing is missing, and nothing is there twice. */
export const windowsSink = redisHash<WindowDelays>(WINDOWS, {
  field: ({ origin, start, end }) => `${start} ${end} ${origin}`,
});

export const lateSink = redisStream<Flight>(LATE);

export const alertsSink = redisStream<DelayAlert>(ALERTS);

/** Where the results of a job are. */
export interface ResultsPlace {
  readonly prefix: string;
  readonly partitions: number;
}

/** In no particular order. */
export async function readWindows(redis: Redis, place: ResultsPlace): Promise<WindowDelays[]> {
  const windows: WindowDelays[] = [];
  for (const key of keysOf(WINDOWS, place)) {
    // A scan may show a field more than once.
    const seen = new Set<string>();
    const pages = redis.hscanStream(key, { count: 1_000 }) as AsyncIterable<string[]>;
    for await (const page of pages) {
      for (let at = 0; at < page.length; at += 2) {
        const [field = '', value = ''] = page.slice(at, at + 2);
        if (!seen.has(field)) windows.push(JSON.parse(value) as WindowDelays);
        seen.add(field);
      }
    }
  }
  return windows;
}

export async function countLate(redis: Redis, place: ResultsPlace): Promise<number> {
  const counts = await Promise.all(keysOf(LATE, place).map((key) => redis.xlen(key)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Those of an airport in the order in which they were found. */
export async function readAlerts(redis: Redis, place: ResultsPlace): Promise<DelayAlert[]> {
  const streams = await Promise.all(keysOf(ALERTS, place).map((key) => redis.xrange(key, '-', '+')));
  return streams.flat().map(([, [, value = '']]) => JSON.parse(value) as DelayAlert);
}

/** What a sink keeps lies beside the partition whose records it is made of. */
function keysOf(sink: string, { prefix, partitions }: ResultsPlace): string[] {
  return Array.from(
    { length: partitions },
    (_, partition) => `${prefix}:{${FLIGHTS.name}#${partition}}:p${partition}:k:${JOB}:${sink}`,
  );
}
