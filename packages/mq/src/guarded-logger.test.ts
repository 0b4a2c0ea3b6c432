import { expect, test } from '@jest/globals';
import type { Logger } from '@rs/core';
import { checkLogger, guardedLogger } from './guarded-logger.ts';
import { coded } from './test-support/coded.ts';

test('what is logged reaches the logger as it is, on its level', () => {
  const said: unknown[] = [];
  const log = (level: string) => (facts: object, message?: string) => void said.push([level, facts, message]);
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const guarded = guardedLogger(logger);
  guarded.debug({ a: 1 }, 'one');
  guarded.info({});
  guarded.warn({ b: 2 }, 'two');
  guarded.error({ c: 3 }, 'three');
  expect(said).toEqual([
    ['debug', { a: 1 }, 'one'],
    ['info', {}, undefined],
    ['warn', { b: 2 }, 'two'],
    ['error', { c: 3 }, 'three'],
  ]);
});

test.each([null, 'x', {}, { ...console, warn: undefined }])('%p is refused as a logger', (logger) => {
  expect(() => {
    checkLogger(logger, 'createMq: logger');
  }).toThrow(coded('RS_INVALID_ARGUMENT'));
});

test('a logger may be anything with the four methods', () => {
  expect(() => {
    checkLogger(console, 'createMq: logger');
  }).not.toThrow();
});

test('methods keep their logger', () => {
  class Counting implements Logger {
    count = 0;
    debug(): void {
      this.count++;
    }
    info = this.debug;
    warn = this.debug;
    error = this.debug;
  }
  const logger = new Counting();
  guardedLogger(logger).warn({}, 'x');
  expect(logger.count).toBe(1);
});

test('a logger that throws, or is none, is nobody’s problem', () => {
  const broken = {
    debug: () => {
      throw new Error('disk full');
    },
  } as Partial<Logger> as Logger;
  const guarded = guardedLogger(broken);
  expect(() => {
    guarded.debug({}, 'x');
    guarded.error({}, 'y');
  }).not.toThrow();
});
