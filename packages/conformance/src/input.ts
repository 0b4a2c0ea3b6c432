import { type DataStream, RsError, type StreamEnvironment, type Topic, topic } from '@rs/core';
import type { InputMessage } from './case.ts';

/** What most cases send: the message's key, an amount, and the message's time. */
export interface Event {
  readonly key: string;
  readonly amount: number;
  readonly at: number;
}

export const EVENTS = topic<Event>('events');

const FORM = /^(?<key>[^:@\s]+)(:(?<amount>-?\d+))?@(?<at>-?\d+)$/;

/**
 * Messages by a text such as `a:5@10 b@12`: key a, amount 5, time 10; then key b, amount 1, time 12. The value is an
 * {@link Event} of the same.
 */
export function events(text: string, to: Topic<Event> = EVENTS): InputMessage[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const { key, amount = '1', at } = FORM.exec(word)?.groups ?? {};
      if (key === undefined)
        throw new RsError('RS_INVALID_ARGUMENT', `'${word}' is no event; write key:amount@time`);
      const event: Event = { key, amount: Number(amount), at: Number(at) };
      return { topic: to.name, key, value: event, timestamp: event.at };
    });
}

/** The events of a topic, with its watermarks. */
export function eventsOf(env: StreamEnvironment, from: Topic<Event> = EVENTS): DataStream<Event> {
  return env.fromTopic(from, 'conformance', { until: 'now' });
}

/** Messages that were sent at another time than what they tell of happened. */
export function sentAt(timestamp: number, messages: readonly InputMessage[]): InputMessage[] {
  return messages.map((message) => ({ ...message, timestamp }));
}
