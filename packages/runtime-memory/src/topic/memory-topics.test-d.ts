/** What may be sent to a topic is what its schema takes. */
import { type Message, type StandardSchema, topic } from '@rs/core';
import type { MemoryTopics } from './memory-topics.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

declare const topics: MemoryTopics;
/** Reads text, gives dates. */
declare const dateSchema: StandardSchema<string, Date>;

export function sending(): void {
  const dates = topic('dates', { value: dateSchema });
  const sent = topics.send(dates, { value: '2024-01-01', key: 'new year' });
  same<typeof sent, Message<string>>();
  // @ts-expect-error the schema takes text
  topics.send(dates, { value: new Date(0) });

  const pairs = topic<{ a: number; b: number }>('pairs');
  // @ts-expect-error a part is missing
  topics.send(pairs, { value: { a: 1 } });

  const anything = topics.send('dates', { value: 7, key: undefined });
  same<typeof anything, Message<number>>();
  // @ts-expect-error a key is a string
  topics.send('dates', { value: 7, key: 7 });
}

export function reading(): void {
  const messages = topics.read('dates', 0);
  same<typeof messages, Message<unknown>[]>();
}
