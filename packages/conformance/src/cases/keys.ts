import { topic, type StreamEnvironment, valueState } from '@rs/core';
import { ANY_PARTITIONING, type InputMessage, type SinkTo } from '../case.ts';
import { valueText } from '../value-text.ts';
import { inArea } from './in-area.ts';

const KEYS = topic('keys');
const COUNT = valueState('count', { default: () => 0 });

/** A message for each key. Its own key says nothing about that, so equal ones come from several partitions. */
function messages(...keys: readonly unknown[]): InputMessage[] {
  return keys.map((value, at) => ({ topic: KEYS.name, key: `message ${at}`, value, timestamp: at }));
}

/** How many records of its key each record is the last of, with the key as the function gets it. */
function countByKey(env: StreamEnvironment, sink: SinkTo): void {
  sink(
    'out',
    env
      .fromTopic(KEYS, 'conformance', { until: 'now' })
      .keyBy((value) => value)
      .process<string>({
        open: (ctx) => void ctx.state(COUNT),
        processElement(key, _value, ctx, out) {
          const count = ctx.state(COUNT);
          count.update(count.value() + 1);
          out.collect(`${keyText(key)} ${count.value()}`);
        },
      }),
  );
}

/** Zero and minus zero are one key, which may come as either. */
function keyText(key: unknown): string {
  return valueText(key === 0 ? 0 : key);
}

export const KEYS_BY_VALUE = inArea('keyed', [
  {
    name: 'keys of every type, compared by value',
    partitions: ANY_PARTITIONING,
    input: messages(1, '1', 1n, true, '1', 1.5, 0, -0, 'true', 1n, false, 1.5, -7),
    define: countByKey,
    expected: {
      out: [
        '1 1',
        "'1' 1",
        '1n 1',
        'true 1',
        "'1' 2",
        '1.5 1',
        '0 1',
        '0 2',
        "'true' 1",
        '1n 2',
        'false 1',
        '1.5 2',
        '-7 1',
      ],
    },
  },
  {
    name: 'objects, arrays and bytes as keys',
    partitions: ANY_PARTITIONING,
    input: messages(
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      [1, 2],
      [2, 1],
      [1, 2],
      { a: 1 },
      { a: { deep: ['x', null] } },
      Uint8Array.of(1, 171),
      { a: { deep: ['x', null] } },
      Uint8Array.of(1, 171),
    ),
    define: countByKey,
    expected: {
      out: [
        '{ a: 1, b: 2 } 1',
        '{ a: 1, b: 2 } 2',
        '[ 1, 2 ] 1',
        '[ 2, 1 ] 1',
        '[ 1, 2 ] 2',
        '{ a: 1 } 1',
        "{ a: { deep: [ 'x', null ] } } 1",
        'Uint8Array(2) [ 1, 171 ] 1',
        "{ a: { deep: [ 'x', null ] } } 2",
        'Uint8Array(2) [ 1, 171 ] 2',
      ],
    },
  },
  {
    name: 'names of properties of Object as keys',
    partitions: ANY_PARTITIONING,
    input: messages(
      'constructor',
      '__proto__',
      'toString',
      'constructor',
      'hasOwnProperty',
      '__proto__',
      'valueOf',
      'a',
    ),
    define: countByKey,
    expected: {
      out: [
        "'constructor' 1",
        "'__proto__' 1",
        "'toString' 1",
        "'constructor' 2",
        "'hasOwnProperty' 1",
        "'__proto__' 2",
        "'valueOf' 1",
        "'a' 1",
      ],
    },
  },
  {
    name: 'texts of every kind as keys',
    partitions: ANY_PARTITIONING,
    // é in one code point, and in two; the empty text; what separates fields elsewhere.
    input: messages(
      'é',
      'e\u0301',
      '日本',
      '😀',
      '',
      'a b',
      'a:b',
      '\u0000',
      'é',
      '日本',
      '😀',
      '',
      'a:b',
      '\u0000',
    ),
    define: countByKey,
    expected: {
      out: [
        "'é' 1",
        "'e\u0301' 1",
        "'日本' 1",
        "'😀' 1",
        "'' 1",
        "'a b' 1",
        "'a:b' 1",
        "'\\x00' 1",
        "'é' 2",
        "'日本' 2",
        "'😀' 2",
        "'' 2",
        "'a:b' 2",
        "'\\x00' 2",
      ],
    },
  },
  {
    name: 'what is no key',
    input: messages('a', Number.NaN),
    define: countByKey,
    expected: {},
    fails: 'RS_INVALID_KEY',
  },
]);
