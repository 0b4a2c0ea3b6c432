import { describe, expect, jest, test } from '@jest/globals';
import { defineJob } from './job-definition.ts';
import type { StreamEnvironment } from './environment.ts';

const env = {} as StreamEnvironment;

describe('defineJob', () => {
  test('declares nothing before it is run, then once per run on the environment given', () => {
    const define = jest.fn<(env: StreamEnvironment) => void>();
    const job = defineJob(define);
    expect(define).not.toHaveBeenCalled();

    job.define(env);
    job.define(env);
    expect(define.mock.calls).toEqual([[env], [env]]);
    expect(define.mock.calls[0]?.[0]).toBe(env);
  });

  test('ignores what the function returns, such as the stream at the end of a chain', () => {
    expect(defineJob(() => ({ map: 'a stream' })).define(env)).toBeUndefined();
  });

  test('cannot be changed', () => {
    expect(Object.isFrozen(defineJob(() => undefined))).toBe(true);
  });

  test('lets an error of the function through', () => {
    const error = new Error('boom');
    const job = defineJob(() => {
      throw error;
    });
    expect(() => job.define(env)).toThrow(error);
  });

  test.each([undefined, null, {}, 'job', Promise.resolve()])('refuses %p', (received) => {
    expect(() => defineJob(received as never)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });

  test('refuses an async function when it is run, also one that rejects later', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const job = defineJob(async () => {
      await Promise.resolve();
      throw new Error('too late for anyone to see');
    });
    expect(() => job.define(env)).toThrow(expect.objectContaining({ code: 'RS_ASYNC_NOT_ALLOWED' }));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
