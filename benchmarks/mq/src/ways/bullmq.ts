import { Queue, Worker } from 'bullmq';
import type { Order } from '../load/order.ts';
import type { Way } from './way.ts';

const QUEUE = 'orders';
const CONCURRENCY = 50;

/** BullMQ: one queue, whatever the number of partitions. Jobs that are done leave nothing behind. */
export const bullmq: Way = {
  ordered: false,
  prepare: async () => undefined,
  openSender: async ({ host, port }) => {
    const queue = new Queue<Order>(QUEUE, {
      connection: { host, port },
      defaultJobOptions: { removeOnComplete: true },
    });
    await queue.waitUntilReady();
    return {
      sendBatch: (orders) => queue.addBulk(orders.map((data) => ({ name: 'order', data }))),
      send: (order) => queue.add('order', order),
      close: () => queue.close(),
    };
  },
  openReceiver: async ({ host, port }, deliver) => {
    const worker = new Worker<Order>(QUEUE, async ({ data }) => deliver(data, 0), {
      connection: { host, port },
      concurrency: CONCURRENCY,
    });
    await worker.waitUntilReady();
    return { close: () => worker.close() };
  },
  stored: (redis) => redis.llen(`bull:${QUEUE}:wait`),
};
