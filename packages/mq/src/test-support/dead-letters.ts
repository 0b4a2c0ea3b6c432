import type { Message } from '@rs/core';
import type { Consumer } from '../consumer/consumer.ts';
import type { HandlerContext, MessageHandler } from '../consumer/handler.ts';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import type { DeadLetter } from '../dlq/dead-letter.ts';
import type { ListDeadLettersOptions } from '../dlq/dead-letter-options.ts';
import type { DeadLetters } from '../dlq/dead-letters.ts';
import type { Mq } from '../mq.ts';
import { until } from './until.ts';
import { typed } from './typed.ts';

/** Consumers that notice each other soon, and do not wait long between attempts. */
export const SOON = { lease: 800, rebalanceInterval: 100, pollTimeout: 1_000 } as const;
export const RETRY = { maxAttempts: 2, initialBackoff: 1, maxBackoff: 5 } as const;

export async function listed<T>(
  dead: DeadLetters<T>,
  options?: ListDeadLettersOptions,
): Promise<DeadLetter<T>[]> {
  const all: DeadLetter<T>[] = [];
  for await (const each of dead.list(options)) all.push(each);
  return all;
}

export interface Call {
  readonly message: Message<number>;
  readonly attempt: number;
}

export interface HandleOptions extends ConsumerSubscriptionOptions {
  readonly group?: string;
  readonly rebalanceInterval?: number;
}

/** A consumer that keeps what it was called with. */
export async function handle(
  mq: Mq,
  topic: string,
  handler: (message: Message<number>, context: HandlerContext) => ReturnType<MessageHandler<number>>,
  { group = 'billing', rebalanceInterval = SOON.rebalanceInterval, ...options }: HandleOptions = {},
): Promise<{ readonly consumer: Consumer; readonly calls: Call[]; values(): number[] }> {
  const calls: Call[] = [];
  const consumer = mq.consumer({ group, ...SOON, rebalanceInterval });
  consumer.subscribe(
    typed<number>(topic),
    (message, context) => {
      calls.push({ message, attempt: context.attempt });
      return handler(message, context);
    },
    { retry: RETRY, ...options },
  );
  await consumer.start();
  return { consumer, calls, values: () => calls.map(({ message }) => message.value) };
}

export const fails = (): never => {
  throw new Error('down');
};

export const total = async (mq: Mq, topic: string): Promise<number> =>
  (await mq.deadLetters(topic).count()).total;

/** Sends numbers and lets them die in `billing`. */
export async function die(mq: Mq, topic: string, count: number, partitions = 1): Promise<readonly string[]> {
  const { consumer } = await handle(mq, topic, fails);
  const messages = Array.from({ length: count }, (_, value) => ({ value, partition: value % partitions }));
  await mq.producer().sendBatch(topic, messages);
  await until('all to die', async () => (await total(mq, topic)) === count);
  await consumer.close();
  return (await listed(mq.deadLetters(topic))).map(({ id }) => id);
}
