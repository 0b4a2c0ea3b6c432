/** What a topic takes decides on the streams that can be sent to it. */
import { type DataStream, type StandardSchema, topic, toTopic } from '../index.ts';

interface Order {
  readonly id: string;
  readonly at: number;
}

declare const orders: DataStream<Order>;
declare const texts: DataStream<string>;
declare const orderSchema: StandardSchema<Order>;
declare const dateSchema: StandardSchema<string, Date>;

export function sinks(): void {
  orders
    .addSink(
      toTopic(topic('orders', { value: orderSchema }), { key: ({ id }) => id, timestamp: ({ at }) => at }),
    )
    .addSink(toTopic(topic<Order>('orders')), { uid: 'orders' })
    .addSink(toTopic('orders'))
    .addSink(toTopic<Order>('orders', { key: ({ id }) => id, codec: { name: 'json' } }));
  // What is sent is what the schema reads, not what it makes.
  texts.addSink(toTopic(topic('dates', { value: dateSchema }), { key: (text) => text.trim() }));
}

export function mistakes(): void {
  // @ts-expect-error a topic of orders takes no texts
  texts.addSink(toTopic(topic('orders', { value: orderSchema })));
  // @ts-expect-error a key is a text
  toTopic(topic('orders', { value: orderSchema }), { key: ({ at }) => at });
}
