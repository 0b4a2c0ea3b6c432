import { type DataStream, type StreamEnvironment, topic as topicOf, type WindowFunction } from '@rs/core';
import type { NewMessage } from '@rs/mq';

/** What tests about time send. */
export interface Event {
  readonly key: string;
  readonly amount: number;
  readonly at: number;
}

/** Messages by a text such as `a:5@10 b@12`: key a, amount 5, time 10; then key b, amount 1, time 12. */
export function events(text: string): NewMessage<Event>[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [, key = '', amount = '1', at] = /^([^:@]+)(?::(-?\d+))?@(-?\d+)$/.exec(word) ?? [];
      return event(key, Number(at), Number(amount));
    });
}

export function event(key: string, at: number, amount = 1): NewMessage<Event> {
  return { key, value: { key, amount, at }, timestamp: at };
}

/** The events of a topic, whose state is kept under ids that do not change. */
export function eventsOf(env: StreamEnvironment, topic: string): DataStream<Event> {
  return env.fromTopic(topicOf<Event>(topic), 'g');
}

/** A window as `a [0,10): 5 1`, with the amounts of its elements in the order of their arrival. */
export const contents: WindowFunction<string, Event, string> = (key, { start, end }, elements, out) =>
  out.collect(`${key} [${start},${end}): ${elements.map(({ amount }) => amount).join(' ')}`);
