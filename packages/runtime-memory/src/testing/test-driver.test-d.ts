/** Messages have the type of their topic, states that of their descriptor. */
import {
  aggregatingState,
  largeMapState,
  listState,
  mapState,
  outputTag,
  setState,
  type StandardSchema,
  topic,
  valueState,
} from '@rs/core';
import type { TestDriver } from './index.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

declare const driver: TestDriver;
declare const dateSchema: StandardSchema<string, Date>;

export async function sends(): Promise<void> {
  const words = topic<string>('words');
  await driver.send(words, { value: 'a' });
  await driver.send(words, [{ value: 'a', key: 'k', timestamp: 1, headers: { h: '1' }, partition: 0 }]);
  // @ts-expect-error no text
  await driver.send(words, { value: 5 });
  // @ts-expect-error no text in one of them
  await driver.send(words, [{ value: 'a' }, { value: 5 }]);
  // What is sent is what the schema reads, not what it makes of it.
  await driver.send(topic('dates', { value: dateSchema }), { value: '2001-01-01' });
  // @ts-expect-error that is what the schema makes of it
  await driver.send(topic('dates', { value: dateSchema }), { value: new Date(0) });
  await driver.send('anything', { value: 5 });
  // @ts-expect-error a key is a text
  await driver.send('anything', { key: 5, value: 5 });
}

export async function places(): Promise<void> {
  const words = topic<string>('words');
  await driver.advanceWatermark(5, { topic: words, partition: 1 });
  await driver.idle(topic('dates', { value: dateSchema }), 1);
  await driver.end('words');
  await driver.advanceTime('5s');
  // @ts-expect-error no duration
  await driver.advanceTime('soon');
}

export async function results(): Promise<void> {
  same<ReturnType<typeof untyped>, unknown[]>();
  const texts = driver.outputs<string>('texts');
  same<typeof texts, string[]>();
  const late = driver.sideOutput('windows', outputTag<Date>('late'));
  same<typeof late, Date[]>();
  const value = await driver.state('a', valueState<number>('n'), 'key');
  same<typeof value, number | undefined>();
  const counted = await driver.state('a', valueState('n', { default: () => 0 }), 'key');
  same<typeof counted, number | undefined>();
  const map = await driver.state('a', mapState<string, Date>('m'), 'key');
  same<typeof map, Map<string, Date>>();
  const large = await driver.state('a', largeMapState<string, Date>('m'), 'key');
  same<typeof large, Map<string, Date>>();
  const list = await driver.state('a', listState<Date>('l'), 'key');
  same<typeof list, Date[]>();
  const set = await driver.state('a', setState<string>('s'), 'key');
  same<typeof set, Set<string>>();
  const mean = await driver.state(
    'a',
    aggregatingState('mean', {
      aggregate: { createAccumulator: () => 0, add: (n: number, sum: number) => n + sum, getResult: String },
    }),
    'key',
  );
  same<typeof mean, string | undefined>();
}
const untyped = () => driver.outputs();
