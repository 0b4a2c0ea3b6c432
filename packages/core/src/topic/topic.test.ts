import { describe, expect, test } from '@jest/globals';
import type { StandardSchema } from '../standard-schema.ts';
import { topic } from './topic.ts';

const anything: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

describe('topic', () => {
  test('is a name and a schema, and cannot be changed', () => {
    const orders = topic('orders', { value: anything });
    expect(orders).toEqual({ name: 'orders', value: anything });
    expect(Object.isFrozen(orders)).toBe(true);
  });

  test('needs no schema', () => {
    expect(topic<string>('words')).toEqual({ name: 'words', value: undefined });
  });

  test('takes a schema that is a function, as those of ArkType are', () => {
    const schema = Object.assign(() => true, anything);
    expect(topic('orders', { value: schema }).value).toBe(schema);
  });

  test.each(['', 'a b', 'a:b', 'ä', 'x'.repeat(129), undefined])('the name %j is refused', (name) => {
    expect(() => topic(name as string)).toThrow(expect.objectContaining({ code: 'RS_INVALID_NAME' }));
  });

  test.each([null, 5, 'x', Symbol('s'), () => 0, []])('options that are %p are refused', (options) => {
    expect(() => topic('x', options as never)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: expect.stringMatching(/^topic 'x': options must be an object, got /) as unknown,
      }),
    );
  });

  test.each([null, {}, 'schema', { '~standard': {} }, { validate: () => true }])(
    'the schema %j is refused',
    (value) => {
      expect(() => topic('orders', { value: value as never })).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { topic: 'orders' } }),
      );
    },
  );
});
