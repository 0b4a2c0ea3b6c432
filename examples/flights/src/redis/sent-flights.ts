import { createMq, type Mq, type NewMessage } from '@rs/mq';
import type { Redis } from 'ioredis';
import { actualDeparture, type Flight } from '../flight.ts';
import { FLIGHTS } from '../source.ts';
import type { JobReport } from './settings.ts';

const BATCH = 1_000;

/** Sends the flights to a topic, in their order, as messages of their origin: each airport is in one partition. */
export async function sendFlights(
  { redis, prefix, partitions }: SendOptions,
  flights: readonly Flight[],
): Promise<SentFlights> {
  const mq = createMq({ redis, prefix });
  try {
    return await sendAll(mq, partitions, flights);
  } finally {
    await mq.close();
  }
}

export interface SendOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly partitions: number;
}

async function sendAll(mq: Mq, partitions: number, flights: readonly Flight[]): Promise<SentFlights> {
  await mq.topics.ensure(FLIGHTS, { partitions });
  const producer = mq.producer();
  const sent = new SentFlights(partitions);
  for (let at = 0; at < flights.length; at += BATCH) {
    const batch = flights.slice(at, at + BATCH).map((flight): NewMessage<Flight> => ({
      key: flight.origin,
      value: flight,
      timestamp: actualDeparture(flight),
    }));
    for (const { partition, id } of await producer.sendBatch(FLIGHTS, batch)) sent.add(partition, id);
  }
  return sent;
}

/** Where each flight was written, so that the position of the job says how far it is. */
export class SentFlights {
  /** By partition: how many flights there are up to an id. */
  readonly #upTo: readonly Map<string, number>[];

  constructor(partitions: number) {
    this.#upTo = Array.from({ length: partitions }, () => new Map<string, number>());
  }

  add(partition: number, id: string): void {
    const ids = this.#upTo[partition];
    ids?.set(id, ids.size + 1);
  }

  /** How many of the flights are committed. */
  committed({ offsets, ended }: Extract<JobReport, { readonly type: 'progress' }>): number {
    const counts = this.#upTo.map((ids, partition) => (ended.includes(partition) ? ids.size : 0));
    for (const { partition, id } of offsets) {
      counts[partition] = Math.max(counts[partition] ?? 0, this.#upTo[partition]?.get(id) ?? 0);
    }
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
