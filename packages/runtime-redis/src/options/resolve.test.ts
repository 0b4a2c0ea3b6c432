import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import { coded } from '../test-support/coded.ts';
import { RUNTIME_DEFAULTS } from './config.ts';
import { resolveSettings } from './resolve.ts';
import { LATER, REPLACED } from './unavailable.ts';

const resolve = (config: object) => resolveSettings(config);

describe('what is not given', () => {
  test('has its default', () => {
    expect(resolve({})).toMatchObject({
      jobName: 'redis-streaming-job',
      prefix: 'rs',
      batch: { records: 500, bytes: 1_048_576 },
      retry: { attempts: 5, initialBackoff: 1_000, maxBackoff: 60_000 },
      onPoison: 'dlq',
      stateTtl: undefined,
      schemaMismatch: 'fail',
      parallelism: Infinity,
      maxPartitions: Infinity,
      watermark: { outOfOrderness: 0, idleTimeout: undefined, idleMode: 'advance', maxFutureSkew: undefined },
      deliverAfter: 'commit',
      lease: { ttl: 15_000, renewEvery: 750, stored: 15_750 },
      heartbeat: 1_000,
      processingTime: 'clock',
    });
  });

  test('is the same when it is undefined', () => {
    const { jobName, batch } = resolve({ jobName: undefined, batch: { records: undefined, bytes: 9 } });
    expect([jobName, batch]).toEqual(['redis-streaming-job', { records: 500, bytes: 9 }]);
  });

  test('every default passes its own check', () => {
    expect(resolve({ ...RUNTIME_DEFAULTS })).toEqual({ ...resolve({}), logger: expect.anything() });
  });
});

test('durations become milliseconds, and 0 stands for none', () => {
  expect(
    resolve({
      stateTtl: '1d',
      watermarkIdleTimeout: '2s',
      watermarkIdleMode: 'hold',
      maxFutureSkew: '5m',
      lease: '600ms',
      logger: silentLogger,
    }),
  ).toMatchObject({
    stateTtl: 86_400_000,
    watermark: { outOfOrderness: 0, idleTimeout: 2_000, idleMode: 'hold', maxFutureSkew: 300_000 },
    lease: { ttl: 600, renewEvery: 120, stored: 720 },
    // Three meetings in the time that a member counts as alive.
    heartbeat: 200,
  });
  expect(resolve({ stateTtl: 0 }).stateTtl).toBeUndefined();
});

test.each([
  [{}, 'dlq'],
  [{ onPoison: 'halt' }, 'halt'],
  [{ processingErrorResult: 'RETRY' }, 'retry'],
  [{ processingErrorResult: 'DEAD_LETTER' }, 'dlq'],
  [{ processingErrorResult: 'FAIL', onPoison: 'dlq' }, 'dlq'],
])('%j: what fails to the end goes to %s', (config, expected) => {
  expect(resolve(config).onPoison).toBe(expected);
});

test.each([
  [{}, 'fail'],
  [{ stateSchemaMismatchPolicy: 'CLEAR' }, 'clear'],
  [{ stateSchemaMismatchPolicy: 'IGNORE' }, 'ignore'],
  [{ stateSchemaEvolutionEnabled: false }, 'ignore'],
])('%j: another version is dealt with by %s', (config, expected) => {
  expect(resolve(config).schemaMismatch).toBe(expected);
});

describe('refused', () => {
  test.each<[object, string]>([
    [{ jobName: 'a b' }, 'RS_INVALID_NAME'],
    [{ jobInstanceId: '' }, 'RS_INVALID_NAME'],
    [{ prefix: '{x}' }, 'RS_INVALID_NAME'],
    [{ batch: 5 }, 'RS_INVALID_ARGUMENT'],
    [{ batch: { records: 0 } }, 'RS_INVALID_ARGUMENT'],
    [{ batch: { records: 10_001 } }, 'RS_INVALID_ARGUMENT'],
    [{ batch: { size: 1 } }, 'RS_INVALID_ARGUMENT'],
    [{ retry: { initialBackoff: '2s', maxBackoff: '1s' } }, 'RS_INVALID_ARGUMENT'],
    [{ processingErrorResult: 'RETRY', onPoison: 'halt' }, 'RS_INVALID_ARGUMENT'],
    [{ onPoison: 'retry' }, 'RS_INVALID_ARGUMENT'],
    [{ lease: 499 }, 'RS_INVALID_ARGUMENT'],
    [{ lease: -1 }, 'RS_INVALID_DURATION'],
    [{ stateTtl: '1w' }, 'RS_INVALID_DURATION'],
    [{ maxFutureSkew: 0 }, 'RS_INVALID_DURATION'],
    [{ keyedStateShardCount: 1_025 }, 'RS_INVALID_ARGUMENT'],
    [{ pipelineParallelism: 0 }, 'RS_INVALID_ARGUMENT'],
    [{ maxPartitions: 1.5 }, 'RS_INVALID_ARGUMENT'],
    [{ eventTimeTimerMaxSize: -1 }, 'RS_INVALID_ARGUMENT'],
    [{ eventTimeTimerMaxSize: 100_000 }, 'RS_UNSUPPORTED'],
    [{ deliverAfter: 'replica' }, 'RS_INVALID_ARGUMENT'],
    [{ keyedStateHotKeyPolicy: 'log' }, 'RS_INVALID_ARGUMENT'],
    [{ stateSchemaMismatchPolicy: null }, 'RS_INVALID_ARGUMENT'],
    [{ requireUids: 'yes' }, 'RS_INVALID_ARGUMENT'],
    [{ logger: {} }, 'RS_INVALID_ARGUMENT'],
    [{ clock: {} }, 'RS_INVALID_ARGUMENT'],
    [{ ids: 'x' }, 'RS_INVALID_ARGUMENT'],
  ])('%j', (config, code) => {
    expect(() => resolve(config)).toThrow(coded(code as never));
  });

  test('a name that does not exist, with the nearest one that does', () => {
    expect(() => resolve({ jobname: 'x' })).toThrow("there is no option 'jobname'; did you mean 'jobName'?");
  });

  test.each(Object.entries(REPLACED))('%s: replaced', (name, why) => {
    expect(() => resolve({ [name]: true })).toThrow(
      coded('RS_INVALID_ARGUMENT', { message: expect.stringContaining(why) as never }),
    );
  });

  test.each(Object.entries(LATER))('%s: not part of this version', (name, why) => {
    expect(() => resolve({ [name]: true })).toThrow(
      coded('RS_UNSUPPORTED', { message: expect.stringContaining(why) as never }),
    );
    expect(() => resolve({ [name]: undefined })).not.toThrow();
  });

  test('what is no object', () => {
    expect(() => resolve(null as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
  });
});
