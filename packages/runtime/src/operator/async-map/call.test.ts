import { describe, expect, test } from '@jest/globals';
import { type AsyncCallContext, isRsError, type MaybePromise } from '@rs/core';
import { MAX_DELAY } from '../../time/scheduler.ts';
import { Deferred } from '../../test-support/deferred.ts';
import { ManualScheduler } from '../../test-support/manual-scheduler.ts';
import { newTask } from '../../test-support/new-task.ts';
import { turn } from '../../test-support/turn.ts';
import { AsyncCall, type CallSpec } from './call.ts';

/** One call, with what it came to. */
class Asked {
  readonly scheduler = new ManualScheduler();
  readonly task = newTask({ mode: 'async', scheduler: this.scheduler, random: () => 0.5 });
  readonly contexts: AsyncCallContext[] = [];
  readonly outcomes: unknown[] = [];
  readonly #call: AsyncCall<string, string>;

  constructor(
    fn: (attempt: number, ctx: AsyncCallContext) => MaybePromise<string>,
    { retry, ...spec }: { timeout?: number; retry?: Partial<CallSpec<string, string>['retry']> } = {},
  ) {
    this.#call = new AsyncCall(
      this.task,
      "mapAsync 'ask'",
      {
        fn: (_value, ctx) => {
          this.contexts.push(ctx);
          return fn(ctx.attempt, ctx);
        },
        timeout: spec.timeout,
        retry: { attempts: 1, delay: 100, maxDelay: 1000, retryIf: () => true, ...retry },
      },
      'value',
      {
        done: (result) => this.outcomes.push(['done', result]),
        failed: (error) => this.outcomes.push(['failed', error]),
      },
    );
  }

  async start(): Promise<this> {
    this.#call.start();
    await turn();
    return this;
  }

  get attempts(): number[] {
    return this.contexts.map(({ attempt }) => attempt);
  }

  signal(attempt: number): AbortSignal | undefined {
    return this.contexts[attempt - 1]?.signal;
  }
}

const fail = (attempt: number) => Promise.reject(new Error(`no ${attempt}`));

describe('a call', () => {
  test.each<[string, () => MaybePromise<string>]>([
    ['a promise', () => Promise.resolve('ok')],
    ['a value', () => 'ok'],
    ['a thenable', () => ({ then: (resolve: (value: string) => void) => resolve('ok') }) as Promise<string>],
  ])('brings what the function returned, as %s', async (_, fn) => {
    const asked = await new Asked(fn).start();
    expect([asked.outcomes, asked.attempts]).toEqual([[['done', 'ok']], [1]]);
    expect(asked.scheduler.delays).toEqual([]);
  });

  test('never answers while it is being made, whatever the function does', async () => {
    const asked = new Asked(() => 'ok');
    const started = asked.start();
    expect(asked.outcomes).toEqual([]);
    await started;
    expect(asked.outcomes).toEqual([['done', 'ok']]);
  });

  test('answers once, also when a thenable does so again', async () => {
    const twice = {
      then: (resolve: (value: string) => void, reject: (error: unknown) => void) => {
        resolve('first');
        resolve('second');
        reject(new Error('third'));
      },
    };
    const asked = await new Asked(() => twice as Promise<string>).start();
    expect(asked.outcomes).toEqual([['done', 'first']]);
  });

  test.each<[string, () => MaybePromise<string>]>([
    ['rejects', () => Promise.reject(new Error('boom'))],
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
  ])('fails when the function %s', async (_, fn) => {
    const asked = await new Asked(fn).start();
    expect([asked.outcomes, asked.attempts]).toEqual([[['failed', new Error('boom')]], [1]]);
  });

  test('gives others their turn after many that were answered at once', async () => {
    const asked = new Asked(() => 'ok');
    for (let i = 0; i < 255; i++) void asked.task.breath();
    await asked.start();
    await turn();
    expect([asked.scheduler.breaths, asked.outcomes]).toEqual([1, [['done', 'ok']]]);
  });

  test('that is stopped while others have their turn brings nothing', async () => {
    const asked = new Asked(() => 'ok');
    for (let i = 0; i < 255; i++) void asked.task.breath();
    const started = asked.start();
    await Promise.resolve();
    expect(asked.scheduler.breaths).toBe(1);
    asked.task.stop();
    await started;
    await turn();
    expect(asked.outcomes).toEqual([]);
  });
});

describe('attempts', () => {
  test('follow each other with growing waits, of which the random source says how much', async () => {
    const asked = await new Asked(fail, { retry: { attempts: 6, delay: 100, maxDelay: 500 } }).start();
    expect(asked.attempts).toEqual([1]);
    await asked.scheduler.advance(49);
    expect(asked.attempts).toEqual([1]);
    await asked.scheduler.advance(1);
    expect(asked.attempts).toEqual([1, 2]);
    await asked.scheduler.advance(10_000);
    expect(asked.attempts).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked.scheduler.delays).toEqual([50, 100, 200, 250, 250]);
    expect(asked.outcomes).toEqual([['failed', new Error('no 6')]]);
  });

  test('end with the first success', async () => {
    const asked = await new Asked((n) => (n < 3 ? fail(n) : 'ok'), { retry: { attempts: 9 } }).start();
    await asked.scheduler.advance(10_000);
    expect([asked.attempts, asked.outcomes]).toEqual([[1, 2, 3], [['done', 'ok']]]);
    expect(asked.scheduler.pending).toBe(0);
  });

  test('end when an error is not worth another', async () => {
    const seen: unknown[] = [];
    const asked = await new Asked(fail, {
      retry: {
        attempts: 9,
        retryIf: (error) => {
          seen.push(error);
          return seen.length === 1;
        },
      },
    }).start();
    await asked.scheduler.advance(10_000);
    expect(asked.outcomes).toEqual([['failed', new Error('no 2')]]);
    expect(seen).toEqual([new Error('no 1'), new Error('no 2')]);
  });

  test('are not asked about after the last one', async () => {
    const asked = await new Asked(fail, {
      retry: {
        attempts: 1,
        retryIf: () => {
          throw new Error('not needed');
        },
      },
    }).start();
    expect(asked.outcomes).toEqual([['failed', new Error('no 1')]]);
  });

  test('end with the error of a retryIf that throws, which tells of the failure before', async () => {
    const asked = await new Asked(fail, {
      retry: {
        attempts: 2,
        retryIf: () => {
          throw new Error('confused');
        },
      },
    }).start();
    expect(asked.outcomes).toEqual([
      [
        'failed',
        expect.objectContaining({
          code: 'RS_USER_FUNCTION_FAILED',
          message: expect.stringMatching(/^retryIf of .* failed: confused; the call had failed with: no 1$/),
          cause: new Error('confused'),
          details: { operator: expect.any(String), failure: new Error('no 1') },
        }),
      ],
    ]);
  });

  test('a promise of a retryIf would always count as yes: it is refused', async () => {
    const retryIf = async () => Promise.reject(new Error('unseen'));
    const asked = await new Asked(fail, { retry: { attempts: 2, retryIf: retryIf as never } }).start();
    expect(asked.outcomes).toEqual([
      [
        'failed',
        expect.objectContaining({
          code: 'RS_ASYNC_NOT_ALLOWED',
          details: expect.objectContaining({ failure: new Error('no 1') }),
        }),
      ],
    ]);
  });
});

describe('a time-out', () => {
  const never = () => new Promise<string>(() => undefined);

  test('fails the call, says so to the function, and names operator and duration', async () => {
    const asked = await new Asked(never, { timeout: 500 }).start();
    await asked.scheduler.advance(499);
    expect([asked.outcomes, asked.signal(1)?.aborted]).toEqual([[], false]);
    await asked.scheduler.advance(1);
    const error: unknown = asked.signal(1)?.reason;
    expect(asked.outcomes).toEqual([['failed', error]]);
    expect(error).toMatchObject({
      code: 'RS_ASYNC_TIMEOUT',
      retriable: true,
      message: expect.stringContaining("mapAsync 'ask': a call took longer than its timeout of 500 ms"),
      details: { operator: "mapAsync 'ask'", timeout: 500, attempt: 1 },
    });
  });

  test('is one of the failures that are retried; each attempt has its own time and signal', async () => {
    const retried: unknown[] = [];
    const asked = await new Asked((n) => (n === 1 ? never() : 'ok'), {
      timeout: 500,
      retry: { attempts: 2, retryIf: (error) => retried.push(error) > 0 },
    }).start();
    await asked.scheduler.advance(550);
    expect(retried.map((error) => isRsError(error, 'RS_ASYNC_TIMEOUT'))).toEqual([true]);
    expect(asked.outcomes).toEqual([['done', 'ok']]);
    expect([asked.signal(1)?.aborted, asked.signal(2)?.aborted]).toEqual([true, false]);
    expect(asked.scheduler.pending).toBe(0);
  });

  test.each(['fulfilled', 'rejected'])(
    'once it is over, a promise that is %s changes nothing',
    async (how) => {
      const late = new Deferred<string>();
      const asked = await new Asked((n) => (n === 1 ? late.promise : never()), {
        timeout: 500,
        retry: { attempts: 2 },
      }).start();
      await asked.scheduler.advance(550);
      if (how === 'fulfilled') late.resolve('late');
      else late.reject(new Error('late'));
      await turn();
      expect([asked.attempts, asked.outcomes]).toEqual([[1, 2], []]);
    },
  );

  test('does not run while the next attempt is waited for, nor after success', async () => {
    const asked = await new Asked((n) => (n === 1 ? fail(n) : 'ok'), {
      timeout: 10,
      retry: { attempts: 2, delay: 1000 },
    }).start();
    expect(asked.scheduler.pending).toBe(1);
    await asked.scheduler.advance(500);
    expect([asked.outcomes, asked.scheduler.pending]).toEqual([[['done', 'ok']], 0]);
  });

  test('may be longer than what a timer can wait', async () => {
    const asked = await new Asked(never, { timeout: 2 * MAX_DELAY + 5 }).start();
    await asked.scheduler.advance(2 * MAX_DELAY + 4);
    expect(asked.outcomes).toEqual([]);
    await asked.scheduler.advance(1);
    expect(asked.outcomes).toHaveLength(1);
  });
});

describe('when the task is stopped or rewound', () => {
  test.each(['stop', 'rewind'] as const)('%s: the signal is aborted, nothing comes of it', async (how) => {
    const open = new Deferred<string>();
    const asked = await new Asked(() => open.promise, { timeout: 500, retry: { attempts: 3 } }).start();
    asked.task[how]();
    expect(asked.signal(1)?.reason).toMatchObject({ code: 'RS_CLOSED' });
    expect(asked.scheduler.pending).toBe(0);
    open.reject(new Error('aborted'));
    await asked.scheduler.advance(10_000);
    expect([asked.attempts, asked.outcomes]).toEqual([[1], []]);
  });

  test('no further attempt is made', async () => {
    const asked = await new Asked(fail, { retry: { attempts: 3 } }).start();
    asked.task.stop();
    expect(asked.scheduler.pending).toBe(0);
    await asked.scheduler.advance(10_000);
    expect([asked.attempts, asked.outcomes]).toEqual([[1], []]);
    expect(asked.signal(1)?.aborted).toBe(false); // That attempt had ended.
  });

  test('by the function itself: nothing is left behind', async () => {
    const asked = new Asked(
      () => {
        asked.task.stop();
        return 'ok';
      },
      { timeout: 500 },
    );
    await asked.start();
    expect([asked.outcomes, asked.scheduler.pending]).toEqual([[], 0]);
  });

  test('by what listens to the signal of a call that timed out: no retry', async () => {
    const asked: Asked = new Asked(
      (_, { signal }) => {
        signal.addEventListener('abort', () => asked.task.stop());
        return new Promise(() => undefined);
      },
      { timeout: 500, retry: { attempts: 3 } },
    );
    await asked.start();
    await asked.scheduler.advance(10_000);
    expect([asked.attempts, asked.outcomes, asked.scheduler.pending]).toEqual([[1], [], 0]);
  });

  test('before it is made: the function is not called', async () => {
    const asked = new Asked(() => 'ok');
    asked.task.stop();
    await asked.start();
    expect([asked.attempts, asked.outcomes]).toEqual([[], []]);
  });
});
