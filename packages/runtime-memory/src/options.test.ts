import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '@rs/core';
import { DEFAULTS, type MemoryEnvironmentOptions, StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';

const create = (options: unknown) =>
  StreamExecutionEnvironment.getExecutionEnvironment(options as MemoryEnvironmentOptions);

describe('the options of an environment', () => {
  test('have defaults', () => {
    expect(DEFAULTS).toEqual({
      eager: true,
      processingTime: 'records',
      windowAllowedLateness: 0,
      windowLatenessMode: 'refire',
      watermarkOutOfOrderness: 0,
      closeTimeout: '5s',
    });
    expect([...create({}).fromElements(1)]).toEqual([1]);
    expect([...create(undefined).fromElements(1)]).toEqual([1]);
  });

  test('may be undefined one by one', () => {
    const undefinedOnes = Object.fromEntries(
      [...Object.keys(DEFAULTS), 'logger', 'clock', 'scheduler'].map((name) => [name, undefined]),
    );
    const out: number[] = [];
    create(undefinedOnes)
      .fromElements(1)
      .addSink((v) => void out.push(v));
    expect(out).toEqual([1]);
  });

  test.each<[string, unknown, ErrorCode]>([
    ['eager', 1, 'RS_INVALID_ARGUMENT'],
    ['eager', 'yes', 'RS_INVALID_ARGUMENT'],
    ['eager', null, 'RS_INVALID_ARGUMENT'],
    ['processingTime', 'foo', 'RS_INVALID_ARGUMENT'],
    ['processingTime', null, 'RS_INVALID_ARGUMENT'],
    ['windowLatenessMode', 'sometimes', 'RS_INVALID_ARGUMENT'],
    ['windowAllowedLateness', -1, 'RS_INVALID_DURATION'],
    ['windowAllowedLateness', '5 minutes', 'RS_INVALID_DURATION'],
    ['windowAllowedLateness', Number.NaN, 'RS_INVALID_DURATION'],
    ['windowAllowedLateness', null, 'RS_INVALID_DURATION'],
    ['windowLatenessMode', null, 'RS_INVALID_ARGUMENT'],
    ['watermarkOutOfOrderness', null, 'RS_INVALID_DURATION'],
    ['closeTimeout', null, 'RS_INVALID_DURATION'],
    ['closeTimeout', -1, 'RS_INVALID_DURATION'],
    ['closeTimeout', 'soon', 'RS_INVALID_DURATION'],
    ['closeTimeout', Infinity, 'RS_INVALID_DURATION'],
    ['logger', () => undefined, 'RS_INVALID_ARGUMENT'],
    ['logger', {}, 'RS_INVALID_ARGUMENT'],
    ['logger', null, 'RS_INVALID_ARGUMENT'],
    ['clock', () => 0, 'RS_INVALID_ARGUMENT'],
    ['clock', {}, 'RS_INVALID_ARGUMENT'],
    ['scheduler', { after: () => undefined }, 'RS_INVALID_ARGUMENT'],
  ])('%s: %p is refused', (name, value, code) => {
    expect(() => create({ [name]: value })).toThrow(coded(code));
    expect(() => create({ [name]: value })).toThrow(new RegExp(name));
  });

  test.each([null, 5, 'eager', () => undefined, []])('%p is no options object', (options) => {
    expect(() => create(options)).toThrow(coded('RS_INVALID_ARGUMENT'));
  });
});
