/** The types of a topic come from its schema, and a stream's from its topic. */
import {
  type DataStream,
  type KeyedStream,
  type Message,
  type StandardSchema,
  type StreamEnvironment,
  type SubscriptionOptions,
  type Topic,
  topic,
} from '../index.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

interface Order {
  readonly customer: string;
  readonly at: Date;
}

declare const env: StreamEnvironment;
declare const orderSchema: StandardSchema<Order>;
/** Reads text, gives dates. */
declare const dateSchema: StandardSchema<string, Date>;

export function topics(): void {
  const orders = topic('orders', { value: orderSchema });
  same<typeof orders, Topic<Order>>();

  const dates = topic('dates', { value: dateSchema });
  same<typeof dates, Topic<Date, string>>();

  same<ReturnType<typeof untyped>, Topic<unknown>>();
  const words = topic<string>('words');
  same<typeof words, Topic<string>>();

  // @ts-expect-error a topic cannot be renamed
  orders.name = 'other';
  // @ts-expect-error no schema
  topic('orders', { value: (value: unknown) => value });
}

const untyped = () => topic('anything');

export function sources(): void {
  const orders = env.fromTopic(topic('orders', { value: orderSchema }), 'billing');
  same<typeof orders, DataStream<Order>>();
  const dates = env.fromTopic(topic('dates', { value: dateSchema }), 'billing', { until: 'now' });
  same<typeof dates, DataStream<Date>>();
  const words = env.fromTopic(topic<string>('words'), 'billing');
  same<typeof words, DataStream<string>>();

  const messages = env.fromMqTopic('orders', 'billing', { until: { 0: '17-0' }, batchCount: 10 });
  same<typeof messages, DataStream<Message<unknown>>>();
  same<ReturnType<typeof env.fromMqTopicWithId>, DataStream<Message<unknown>>>();

  // @ts-expect-error the group is missing
  env.fromMqTopic('orders');
  // @ts-expect-error the topic's name is not the topic
  env.fromTopic('orders', 'billing');
  // @ts-expect-error no such option
  env.fromMqTopic('orders', 'billing', { from: 'now' });
}

export function keys(words: DataStream<string>, message: Message<Order>): void {
  same<ReturnType<typeof words.keyByMessageKey>, KeyedStream<string, string>>();
  const byLength = words.keyBy((word) => word.length, { colocated: true, uid: 'by-length' });
  same<typeof byLength, KeyedStream<number, string>>();

  same<typeof message.key, string | undefined>();
  same<typeof message.value, Order>();
  // @ts-expect-error a message cannot be changed
  message.value = { customer: 'ada', at: new Date(0) };
  // @ts-expect-error nor can its headers
  message.headers['trace'] = 'x';
}

export function options(): void {
  const until: SubscriptionOptions[] = [{}, { until: 'now' }, { until: { 3: '5-0' } }];
  // @ts-expect-error an id is a text
  until.push({ until: { 3: 5 } });
}
