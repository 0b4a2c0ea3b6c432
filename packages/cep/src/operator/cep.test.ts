import { expect, test } from '@jest/globals';
import type { KeyedProcessFunction, KeyedStream } from '@rs/core';
import { KeyedHarness } from '../test-support/keyed-harness.ts';
import { is, letter } from '../test-support/letters.ts';
import { CEP } from './cep.ts';

const ab = letter('a').followedBy('b', is('b'));

/** A keyed stream that hands over what it is to process. */
function streamTo(given: { fn?: KeyedProcessFunction<string, string, unknown>; options?: unknown }) {
  const stream = {
    getMapState: () => undefined,
    process: (fn: KeyedProcessFunction<string, string, unknown>, options: unknown) =>
      Object.assign(given, { fn, options }),
  };
  return stream as object as KeyedStream<string, string>;
}

function harnessOf(declare: (stream: KeyedStream<string, string>) => unknown) {
  const given: { fn?: KeyedProcessFunction<string, string, unknown>; options?: unknown } = {};
  declare(streamTo(given));
  if (given.fn === undefined) throw new Error('nothing was declared');
  return { harness: new KeyedHarness<string, unknown>(given.fn), options: given.options };
}

test('select: one result per match, under the name and uid that are given', () => {
  const { harness, options } = harnessOf((stream) =>
    CEP.pattern(stream, ab).select(({ key, sequence }) => `${key} ${sequence.join('')}`, { uid: 'mine' }),
  );
  for (const [time, event] of ['a', 'a', 'b'].entries()) harness.element('k', event, time);
  harness.advance(2);
  expect(harness.results).toEqual([
    { key: 'k', timestamp: 2, value: 'k ab' },
    { key: 'k', timestamp: 2, value: 'k ab' },
  ]);
  expect(options).toEqual({ name: 'pattern', uid: 'mine' });
});

test('flatSelect: any number', () => {
  const { harness } = harnessOf((stream) =>
    CEP.pattern(stream, ab).flatSelect(({ start, sequence }) => (start === 0 ? null : sequence)),
  );
  for (const [time, event] of ['a1', 'a2', 'b'].entries()) harness.element('k', event, time);
  harness.advance(2);
  expect(harness.results.map(({ value }) => value)).toEqual(['a2', 'b']);
});

test('promises are waited for one after the other, in the order of the matches', async () => {
  const pending: (() => void)[] = [];
  const { harness } = harnessOf((stream) =>
    CEP.pattern(stream, ab).select(
      ({ start }) => new Promise((resolve) => void pending.push(() => resolve(start))),
    ),
  );
  for (const [time, event] of ['a1', 'a2', 'b'].entries()) harness.element('k', event, time);
  harness.advance(2);
  expect(pending).toHaveLength(1);
  pending[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(harness.results.map(({ value }) => value)).toEqual([0]);
  expect(pending).toHaveLength(2);
});

test('what is no keyed stream, and no function, is refused at once', () => {
  const refused = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });
  expect(() => CEP.pattern({} as never, ab)).toThrow(
    expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', message: expect.stringContaining('keyBy') }),
  );
  expect(() => CEP.pattern(null as never, ab)).toThrow(refused);
  const stream = streamTo({});
  expect(() => CEP.pattern(stream, ab).select(undefined as never)).toThrow(refused);
  expect(() => CEP.pattern(stream, ab).flatSelect('x' as never)).toThrow(refused);
  expect(() => CEP.pattern(stream, letter('a').notFollowedBy(is('b')))).toThrow(
    expect.objectContaining({ code: 'RS_INVALID_PATTERN' }),
  );
});
