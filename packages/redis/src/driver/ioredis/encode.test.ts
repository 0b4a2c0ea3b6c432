import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isRsError } from '@rs/core';
import type { RedisArgument } from '../driver.ts';
import { encode } from './encode.ts';

/** The protocol, written down the plain way. */
function expected(name: string, args: readonly RedisArgument[]): Buffer {
  const parts = [name, ...args].map((part) => Buffer.from(typeof part === 'number' ? String(part) : part));
  const head = Buffer.from(`*${parts.length}\r\n`);
  return Buffer.concat([
    head,
    ...parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]),
  ]);
}

const argument = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 40 }), fc.integer());

test('a command is its length and its parts, whatever they are', () => {
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 12 }), (args) => {
      const command = encode({ name: 'EVALSHA', args });
      expect(command).toEqual(expected('EVALSHA', args));
    }),
  );
});

test.each([47, 48, 49, 99, 100, 999, 1_000, 70_000])(
  'texts of %i characters, of one byte each and of several',
  (length) => {
    const args = ['a', 'é', '订', '🙂'].map((character) => character.repeat(length));
    for (const argument of args)
      expect(encode({ name: 'SET', args: ['k', argument] })).toEqual(expected('SET', ['k', argument]));
    expect(encode({ name: 'MSET', args })).toEqual(expected('MSET', args));
  },
);

test('as many arguments as are wanted', () => {
  const args = Array.from({ length: 12_345 }, (_, at) => `field-${at}`);
  expect(encode({ name: 'HMGET', args })).toEqual(expected('HMGET', args));
});

test('a text like ASCII up to its last character', () => {
  const args = [`${'a'.repeat(20)}é`, '', 'b'];
  expect(encode({ name: 'SET', args })).toEqual(expected('SET', args));
});

test.each(['\ud800', 'a\udc00b', '🙂'.slice(0, 1)])(
  'half a character is refused, not replaced: %j',
  (text) => {
    expect(refusal(() => encode({ name: 'SET', args: ['k', text] }))).toBe('RS_INVALID_ARGUMENT');
    expect(refusal(() => encode({ name: 'SET', args: ['k', text, Uint8Array.of(1)] }))).toBe(
      'RS_INVALID_ARGUMENT',
    );
  },
);

test('a Uint8Array is read where it is: its part of the buffer', () => {
  const bytes = Buffer.from('0123456789');
  const part = new Uint8Array(bytes.buffer, bytes.byteOffset + 3, 2);
  expect(String(encode({ name: 'GET', args: [part] }))).toBe('*2\r\n$3\r\nGET\r\n$2\r\n34\r\n');
});

describe('numbers', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [-1.5, '-1.5'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [1e21, '1000000000000000000000'],
    [-1e22, '-10000000000000000000000'],
  ])('%d is %s', (value, text) => {
    expect(String(encode({ name: 'A', args: [value] }))).toContain(`\r\n${text}\r\n`);
  });

  test.each([Number.NaN, Infinity, -Infinity, 1e-7])('%d is refused', (value) => {
    expect(refusal(() => encode({ name: 'ZADD', args: ['k', value] }))).toBe('RS_INVALID_ARGUMENT');
  });
});

test.each([null, undefined, true, {}, [1], new Date(0)])('%p is refused', (value) => {
  // Callers without types.
  const args = ['k', value] as readonly RedisArgument[];
  expect(refusal(() => encode({ name: 'SET', args }))).toBe('RS_INVALID_ARGUMENT');
});

function refusal(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (isRsError(error)) return error.code;
    throw error;
  }
  return undefined;
}
