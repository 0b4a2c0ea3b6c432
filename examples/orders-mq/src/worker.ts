import { createMq, outcome } from '@rs/mq';
import { Redis } from 'ioredis';
import { Books } from './books.ts';
import { jsonLines } from './log.ts';
import { orders } from './orders.ts';
import { Payments } from './payments.ts';
import { settingsOf } from './settings.ts';

const { redisUrl, prefix, seed, name } = settingsOf(process.env);
const redis = new Redis(redisUrl);
const mq = createMq({ redis, prefix, logger: jsonLines() });
const books = new Books(redis, prefix);
const payments = new Payments(seed);

// A short lease: what a dead worker had is another one's after two seconds.
const consumer = mq.consumer({ group: 'billing', name, lease: '2s' });

consumer.subscribe(
  orders,
  async ({ value: order, partition }, { attempt, signal }) => {
    const payment = await payments.charge(order, { attempt, signal }); // what it throws is retried
    if (!payment.paid) return outcome.deadLetter('the card was refused');
    await books.enter({ order: order.id, cents: payment.cents, worker: name, partition });
    return outcome.success();
  },
  // One order of a customer at a time, four customers at a time in each partition.
  { ordering: 'key', concurrency: 4, retry: { initialBackoff: '200ms', maxAttempts: 5 } },
);
await consumer.start();

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());

async function close(): Promise<void> {
  // Handlers under way end first, and partitions are given back: nobody waits for a lease to run out.
  await mq.close();
  redis.disconnect();
}
