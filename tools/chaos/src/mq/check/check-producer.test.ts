import { expect, test } from '@jest/globals';
import { entry, history } from '../test-support/histories.ts';
import { checkProducer } from './check-producer.ts';

const [one, two] = [
  { key: 'key-1', n: 1 },
  { key: 'key-1', n: 2 },
];

test('each number once and in order, and again from the next process', () => {
  const log = [entry(0, 10, one), entry(0, 11, two), entry(0, 20, two, 'producer#2')];
  expect(checkProducer(history({ log }))).toEqual([]);
});

test('a message that stands in the log twice', () => {
  const log = [entry(0, 10, one), entry(0, 20, one)];
  expect(checkProducer(history({ log }))).toEqual([
    expect.objectContaining({
      what: 'message 1 of key-1 from producer#1 was written twice',
      evidence: ['0/10-0', '0/20-0'],
    }),
  ]);
});

test('a message behind a later one of its key', () => {
  const log = [entry(0, 10, two), entry(0, 20, one)];
  expect(checkProducer(history({ log }))).toEqual([
    expect.objectContaining({ what: 'message 1 of key-1 from producer#1 stands behind message 2' }),
  ]);
});

test('the order is that of ids as numbers', () => {
  const log = [entry(0, 9, one), entry(0, 10, two)];
  expect(checkProducer(history({ log: [...log].reverse() }))).toEqual([]);
});

test('a message that was refused as not written, and is there', () => {
  const refused = (fate: string) => [
    { ...one, incarnation: 'producer#1', at: 0, code: 'RS_REDIS_TIMEOUT', fate },
  ];
  const log = [entry(0, 10, one)];
  expect(checkProducer(history({ log, refused: refused('unknown') }))).toEqual([]);
  expect(checkProducer(history({ log, refused: refused('notWritten') }))).toHaveLength(1);
});
