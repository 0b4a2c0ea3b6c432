import { describe, expect, test } from '@jest/globals';
import { topic } from '../topic/topic.ts';
import { isTopicSink, toTopic } from './topic-sink.ts';

const refusal = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as unknown });

describe('toTopic', () => {
  test('declares where results go, and cannot be changed', () => {
    const spend = topic<number>('spend');
    const key = () => 'k';
    const sink = toTopic(spend, { key });
    expect(sink.topic).toBe(spend);
    expect(sink.options).toEqual({ key });
    expect([Object.isFrozen(sink), Object.isFrozen(sink.options)]).toEqual([true, true]);
    expect(toTopic('spend').topic).toEqual({ name: 'spend', value: undefined });
  });

  test('is known to engines, and to one that does not know it says so', () => {
    const sink = toTopic('spend');
    expect(isTopicSink(sink)).toBe(true);
    for (const other of [undefined, null, () => 0, { invoke: () => undefined }]) {
      expect(isTopicSink(other)).toBe(false);
    }
    expect(() => sink.invoke(1)).toThrow(refusal('RS_UNSUPPORTED', /^toTopic 'spend': this engine/));
  });

  test.each([undefined, null, {}, 7])('the topic %p is refused', (target) => {
    expect(() => toTopic(target as never)).toThrow(refusal('RS_INVALID_NAME', /^toTopic: a topic must be/));
  });

  test.each([
    null,
    'x',
    { key: 'id' },
    { timestamp: 5 },
    { codec: 'json' },
    { codec: null },
    { kye: () => 'k' },
  ])('the options %p are refused', (options) => {
    expect(() => toTopic('spend', options as never)).toThrow(
      refusal('RS_INVALID_ARGUMENT', /^toTopic 'spend': /),
    );
  });
});
