import { createMq, type MessageHandler, type Mq } from '@rs/mq';
import { Redis } from 'ioredis';
import type { Order } from '../load/order.ts';
import { streamLengths } from './connect.ts';
import type { Deliver, Place, Way } from './way.ts';

const TOPIC = 'orders';

/** @rs/mq with the defaults of all options, and a handler that returns nothing. */
export const rs = way(
  (deliver) =>
    ({ value, partition }) =>
      deliver(value as Order, partition),
);

/** The same with a handler that returns a promise. */
export const rsAsync = way(
  (deliver) =>
    async ({ value, partition }) =>
      deliver(value as Order, partition),
);

function way(handlerOf: (deliver: Deliver) => MessageHandler<unknown>): Way {
  return {
    ordered: true,
    prepare: async (place) => {
      const mq = open(place);
      await mq.topics.ensure(TOPIC, { partitions: place.partitions });
      await mq.close();
    },
    openSender: async (place) => {
      const mq = open(place);
      const producer = mq.producer();
      return {
        // Without a key: like everybody here it may choose the partition.
        sendBatch: (orders) =>
          producer.sendBatch(
            TOPIC,
            orders.map((value) => ({ value })),
          ),
        send: (value) => producer.send(TOPIC, { value }),
        close: () => mq.close(),
      };
    },
    openReceiver: async (place, deliver) => {
      const mq = open(place);
      const consumer = mq.consumer({ group: 'bench' });
      consumer.subscribe(TOPIC, handlerOf(deliver));
      await consumer.start();
      return { close: () => mq.close() };
    },
    stored: streamLengths,
  };
}

function open({ host, port }: Place): Mq {
  return createMq({ redis: new Redis({ host, port, lazyConnect: true }) });
}
