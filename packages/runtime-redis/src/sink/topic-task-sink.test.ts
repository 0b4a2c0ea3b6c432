import { describe, expect, test } from '@jest/globals';
import { partitionOf, type StandardSchema, topic, type TopicSinkOptions } from '@rs/core';
import { codecsOf, decodeEnvelope, envelopeOf, msgpackCodec } from '@rs/mq';
import type { StreamEntry } from '../store/commit-op.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { checkSinkCodec, TopicTaskSink } from './topic-task-sink.ts';

const codecs = codecsOf();

function sinkTo(options: TopicSinkOptions<unknown> = {}, schema?: StandardSchema): TopicTaskSink {
  return new TopicTaskSink({
    label: "sink 'spend'",
    key: 'out',
    topic: schema === undefined ? topic('spend') : topic('spend', { value: schema }),
    options,
    codecs,
    partitions: () => 4,
  });
}

/** The entries of one commit. */
function entriesOf(
  sink: TopicTaskSink,
  values: readonly unknown[],
  seq = 7,
  timestamp = 5,
): readonly StreamEntry[] {
  const outputs = values.map((value) => ({ sink: 'spend', value: sink.transfer(value), timestamp }));
  const [op] = sink.ops(outputs, seq);
  if (op?.type !== 'xadd') throw new Error('expected entries');
  expect(op.key).toBe('out');
  return op.entries;
}

/** As the topic's readers see it. */
function messageOf({ fields }: StreamEntry) {
  const [, partition, ...envelope] = fields.map((field) => Buffer.from(String(field)));
  return decodeEnvelope('99-0', 'spend', Number(String(partition)), envelopeOf(envelope), codecs);
}

describe('results for a topic', () => {
  test('become messages with the key and the time that were asked for', () => {
    const sink = sinkTo({ key: (value) => String(value), timestamp: (value) => Number(value) * 10 });
    const messages = entriesOf(sink, [1, 2, 1]).map(messageOf);
    expect(messages).toMatchObject([
      { key: '1', value: 1, timestamp: 10, partition: partitionOf('1', 4) },
      { key: '2', value: 2, timestamp: 20, partition: partitionOf('2', 4) },
      { key: '1', value: 1, timestamp: 10, partition: partitionOf('1', 4) },
    ]);
  });

  test('have their own time else, and the time of writing where they have none', () => {
    expect(entriesOf(sinkTo(), ['a']).map(messageOf)).toMatchObject([{ timestamp: 5, key: undefined }]);
    expect(entriesOf(sinkTo(), ['a'], 7, Infinity).map(messageOf)).toMatchObject([{ timestamp: 99 }]);
  });

  test('have ids by their place; without a key they take turns, the same ones each time', () => {
    const once = entriesOf(sinkTo(), ['a', 'b', 'c', 'd', 'e']);
    expect(once.map(({ id }) => id)).toEqual(['7-0', '7-1', '7-2', '7-3', '7-4']);
    expect(once.map(({ fields }) => fields[1])).toEqual([3, 0, 1, 2, 3]);
    expect(entriesOf(sinkTo(), ['a', 'b', 'c', 'd', 'e'])).toEqual(once);
  });

  test('are written by the codec that was asked for', () => {
    const [entry] = entriesOf(sinkTo({ codec: msgpackCodec() }), [{ a: new Date(5) }]);
    expect(String(entry?.fields[3])).toBe('1,msgpack,-,5');
    expect(codecs.get('msgpack')?.decode(entry?.fields[9] as Buffer)).toEqual({ a: new Date(5) });
  });

  test.each<[string, TopicSinkOptions<unknown>, unknown, Parameters<typeof thrownBy>[1]]>([
    ['a key that is no text', { key: () => 5 as never }, 1, 'RS_INVALID_KEY'],
    ['a time that is none', { timestamp: () => Number.NaN }, 1, 'RS_INVALID_TIMESTAMP'],
    ['a value that the codec cannot write', {}, 1n, 'RS_INVALID_VALUE'],
    ['no value', {}, undefined, 'RS_INVALID_VALUE'],
  ])('that have %s are refused, with the name of the sink', (_what, options, value, code) => {
    expect(thrownBy(() => sinkTo(options).transfer(value), code).message).toMatch(/^sink 'spend'/);
  });

  test('that the schema of the topic refuses are refused; one that waits is not asked', () => {
    const schema = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
      '~standard': { version: 1, vendor: 'test', validate },
    });
    const never = schema(() => ({ issues: [{ message: 'never' }] }));
    expect(() => sinkTo({}, never).transfer(1)).toThrow(coded('RS_INVALID_VALUE'));
    const rejecting = schema(() => Promise.reject(new Error('later')));
    expect(entriesOf(sinkTo({}, rejecting), [1])).toHaveLength(1);
    const throwing = schema(() => {
      throw new Error('broken');
    });
    expect(() => sinkTo({}, throwing).transfer(1)).toThrow(coded('RS_USER_FUNCTION_FAILED'));
  });

  test('need a codec that readers find', () => {
    expect(() => checkSinkCodec({ codec: { name: 'own' } }, codecs, "sink 'spend'")).toThrow(
      coded('RS_INVALID_ARGUMENT'),
    );
    expect(checkSinkCodec({ codec: msgpackCodec() }, codecs, "sink 'spend'")).toBeUndefined();
  });
});
