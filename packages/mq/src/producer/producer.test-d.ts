/** What may be sent to a topic is what its schema takes. */
import { type StandardSchema, topic } from '@rs/core';
import type { Receipt } from './new-message.ts';
import type { Producer } from './producer.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

declare const producer: Producer;
/** Reads text, gives dates. */
declare const dateSchema: StandardSchema<string, Date>;

export async function sending(): Promise<void> {
  const dates = topic('dates', { value: dateSchema });
  const receipt = await producer.send(dates, {
    value: '2024-01-01',
    key: 'new year',
    headers: { trace: 'x' },
  });
  same<typeof receipt, Receipt>();
  // @ts-expect-error the schema takes text
  await producer.send(dates, { value: new Date(0) });

  const receipts = await producer.sendBatch(dates, [
    { value: '2024-01-01' },
    { value: '2024-01-02', partition: 1 },
  ]);
  same<typeof receipts, Receipt[]>();
  // @ts-expect-error one of them is no text
  await producer.sendBatch(dates, [{ value: '2024-01-01' }, { value: 7 }]);

  const pairs = topic<{ a: number; b: number }>('pairs');
  // @ts-expect-error a part is missing
  await producer.send(pairs, { value: { a: 1 } });
  await producer.send(pairs, { value: { a: 1, b: 2 } }, { signal: AbortSignal.timeout(5) });

  await producer.send('dates', { value: 7, key: undefined });
  // @ts-expect-error a key is a string
  await producer.send('dates', { value: 7, key: 7 });
  // @ts-expect-error headers are strings
  await producer.send('dates', { value: 7, headers: { attempt: 1 } });
}
