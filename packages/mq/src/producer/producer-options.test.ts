import { expect, test } from '@jest/globals';
import type { ErrorCode } from '@rs/core';
import { bytesCodec } from '../codec/bytes-codec.ts';
import { codecsOf } from '../codec/codecs.ts';
import { jsonCodec } from '../codec/json-codec.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { type ProducerOptions, producerSettings } from './producer-options.ts';

const settings = (options: unknown) => producerSettings(options as ProducerOptions, codecsOf());

test('without options: the defaults, durations in milliseconds', () => {
  expect(settings({})).toEqual({
    codec: jsonCodec(),
    linger: 0,
    maxBatch: 256,
    maxBatchBytes: 1024 * 1024,
    maxMessageBytes: 16 * 1024 * 1024,
    maxPending: 10_000,
    maxPendingBytes: 64 * 1024 * 1024,
    deliveryTimeout: 120_000,
  });
  expect(settings({ linger: '5ms', codec: bytesCodec() })).toMatchObject({ linger: 5, codec: bytesCodec() });
});

test.each<[unknown, ErrorCode]>([
  [undefined, 'RS_INVALID_ARGUMENT'],
  ['x', 'RS_INVALID_ARGUMENT'],
  [{ lingerMs: 5 }, 'RS_INVALID_ARGUMENT'],
  [{ maxBatch: 0 }, 'RS_INVALID_ARGUMENT'],
  [{ maxBatch: 10_001 }, 'RS_INVALID_ARGUMENT'],
  [{ maxBatch: '256' }, 'RS_INVALID_ARGUMENT'],
  [{ maxBatchBytes: 0.5 }, 'RS_INVALID_ARGUMENT'],
  [{ maxMessageBytes: 2 ** 29 + 1 }, 'RS_INVALID_ARGUMENT'],
  [{ maxPending: -1 }, 'RS_INVALID_ARGUMENT'],
  [{ maxPendingBytes: Infinity }, 'RS_INVALID_ARGUMENT'],
  [{ linger: -1 }, 'RS_INVALID_DURATION'],
  [{ deliveryTimeout: 0 }, 'RS_INVALID_DURATION'],
  [{ deliveryTimeout: '31m' }, 'RS_INVALID_ARGUMENT'],
  [{ codec: {} }, 'RS_INVALID_ARGUMENT'],
  [{ codec: 'json' }, 'RS_INVALID_ARGUMENT'],
])('%p is refused', (options, code) => {
  expect(() => settings(options)).toThrow(coded(code));
});

test('a codec that consumers would not find is refused with the way to make it known', () => {
  const codec = { ...jsonCodec(), name: 'own' };
  const error = thrownBy(() => settings({ codec }), 'RS_INVALID_ARGUMENT');
  expect(error.message).toContain('give it to createMq({ codecs })');
  expect(producerSettings({ codec }, codecsOf([codec])).codec).toBe(codec);
});
