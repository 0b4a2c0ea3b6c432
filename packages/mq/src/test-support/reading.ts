import type { Consumer } from '../consumer/consumer.ts';
import type { ConsumerSubscriptionOptions, StartPosition } from '../consumer/subscription-options.ts';
import { typed } from './typed.ts';
import { until } from './until.ts';
import type { MqBench } from './use-mq.ts';

/** Options of consumers that notice things soon. */
export const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 500 } as const;

export const numbers = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, at) => from + at);

export interface Running {
  readonly consumer: Consumer;
  /** Values in the order in which they were handled. */
  readonly handled: number[];
}

/** Sending numbers to partition 0, handling them, and looking at the position of a group. */
export function useReading(bench: MqBench) {
  async function consume(
    topic: string,
    {
      group = 'g',
      from = 'earliest',
      lease = FAST.lease,
      ...options
    }: { group?: string; from?: StartPosition; lease?: number } & ConsumerSubscriptionOptions = {},
  ): Promise<Running> {
    const consumer = bench.mq().consumer({ group, ...FAST, lease });
    const handled: number[] = [];
    consumer.subscribe(
      typed<number>(topic),
      ({ value }) => {
        handled.push(value);
      },
      { from, ...options },
    );
    await consumer.start();
    return { consumer, handled };
  }

  async function send(topic: string, ...values: number[]): Promise<string[]> {
    const receipts = await bench
      .mq()
      .producer()
      .sendBatch(
        topic,
        values.map((value) => ({ value, partition: 0 })),
      );
    return receipts.map(({ id }) => id);
  }

  const lowOf = async (topic: string, group = 'g'): Promise<string | undefined> =>
    (await bench.lease(topic, group))['low'];
  const holdOf = (topic: string, group = 'g') => bench.redis.hget(bench.keys(topic).holds, `g:${group}`);
  const settled = (topic: string, group = 'g') =>
    until('nothing to be pending', async () => (await bench.pending(topic, group)) === 0);

  return { consume, send, lowOf, holdOf, settled };
}
