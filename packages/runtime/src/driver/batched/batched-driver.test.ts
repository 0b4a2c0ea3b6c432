import { describe, expect, test } from '@jest/globals';
import { isRsError } from '@rs/core';
import fc from 'fast-check';
import { bySink, events, itemsOf } from '../../test-support/catalogue-items.ts';
import { committedBefore } from '../../test-support/committed-before.ts';
import { type Event, JOBS } from '../../test-support/job-catalogue.ts';
import { TASK_OPTIONS, taskOf } from '../../test-support/one-task.ts';
import {
  type BatchedRun,
  CommitLogBackend,
  graphOf,
  type HarnessItem,
  type HarnessJob,
  runBatched,
  runChained,
} from '../../testing/index.ts';
import type { StateBackend } from './backend.ts';
import { BatchedDriver } from './batched-driver.ts';
import type { BatchedOptions } from './batched-options.ts';

const RUNS: Record<string, BatchedRun> = {
  'batches of 1': { batchSize: 1 },
  'batches of 7': { batchSize: 7 },
  'batches of 500': { batchSize: 500 },
  'batches of 7, nothing cached': { batchSize: 7, cachedBytes: 0 },
  'batches of 3, a crash after every commit': { batchSize: 3, crashEvery: 1 },
  'batches of 1, a crash after every fourth commit': { batchSize: 1, crashEvery: 4 },
};

/** Which of 80 outputs in a row fail. */
const FAILING_OUTPUTS = new Set([1, 2, 7, 20, 43]);

describe.each(Object.entries(JOBS))('%s', (_name, job) => {
  const sources = graphOf(job).sources.length;
  let outputs = 0;
  const failing = () => {
    if (FAILING_OUTPUTS.has(++outputs % 80)) throw new Error(`output ${outputs} failed`);
  };

  test.each(Object.entries(RUNS))('%s: equals the chained run', async (_run, run) => {
    await fc.assert(
      fc.asyncProperty(events, async (drawn) => {
        const items = itemsOf(drawn, sources);
        const expected = bySink(await runChained(graphOf(job), items));
        expect(bySink(await runBatched(() => graphOf(job), items, run))).toEqual(expected);
      }),
      { numRuns: 10, seed: 20261130 },
    );
  });

  test.each([1, 5, 60])(
    'batches of %d in which functions fail now and then: equals the chained run',
    async (batchSize) => {
      await fc.assert(
        fc.asyncProperty(events, async (drawn) => {
          const items = itemsOf(drawn, sources);
          const expected = bySink(await runChained(graphOf(job), items));
          const run = { batchSize, attempts: 9, crashEvery: 3 };
          expect(bySink(await runBatched(() => graphOf(job, failing), items, run))).toEqual(expected);
        }),
        { numRuns: 10, seed: 20261130 },
      );
    },
  );

  test('leaves no state, timer or window behind that its input has ended for', async () => {
    const drawn = fc.sample(events, { numRuns: 5, seed: 7 });
    for (const one of drawn) {
      const { tasks } = await runBatched(() => graphOf(job), itemsOf(one, sources), { batchSize: 7 });
      expect(tasks.flatMap(({ backend }) => backend.storedTimers())).toEqual([]);
      const left = tasks
        .flatMap(({ backend }) => backend.cells())
        .map(([address]) => address.split('\u001f')[1]);
      expect(
        left.filter((state) => state === 'windows' || state === 'sessions' || state === 'elements'),
      ).toEqual([]);
    }
  });
});

describe('failures', () => {
  const options: BatchedOptions = { ...TASK_OPTIONS, attempts: 2 };
  const failingIf = (fails: (event: Event) => boolean): HarnessJob => {
    return (env) => {
      const keyed = env.input<Event>().keyBy((event) => event.key);
      keyed
        .map((event) => {
          if (fails(event)) throw new Error('boom');
          return event;
        })
        .sum((event) => event.amount)
        .addSink(() => undefined);
    };
  };
  const items: HarnessItem[] = Array.from({ length: 20 }, (_, i) => ({
    type: 'record',
    input: 0,
    value: { key: 'k', time: i, amount: 1 },
    timestamp: i,
  }));

  test('a record that fails now and then changes nothing of the result', async () => {
    const tries = new Map<number, number>();
    const flaky = failingIf(({ time }) => {
      const tried = (tries.get(time) ?? 0) + 1;
      tries.set(time, tried);
      return time % 4 === 0 && tried <= 2;
    });
    const { outputs } = await runBatched(() => graphOf(flaky), items, { batchSize: 6, attempts: 3 });
    expect(outputs.map(({ value }) => value)).toEqual(items.map((_, i) => i + 1));
  });

  test('a record that always fails is thrown, and everything before it is settled', async () => {
    const backend = new CommitLogBackend();
    const driver = await BatchedDriver.open(
      taskOf(failingIf(({ time }) => time === 13)),
      backend.acquire(),
      options,
    );
    await driver.process(items.slice(0, 6));
    await expect(driver.process(items.slice(6))).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED' });
    expect(driver.position).toBe(13);
    expect(backend.outputs().map(({ value }) => value)).toEqual(items.slice(0, 13).map((_, i) => i + 1));
  });

  test('an owner that lost its task changes nothing and says so', async () => {
    const backend = new CommitLogBackend();
    const task = () => taskOf(failingIf(() => false));
    const stale = await BatchedDriver.open(task(), backend.acquire(), options);
    await stale.process(items.slice(0, 5));
    const owner = await BatchedDriver.open(task(), backend.acquire(), options);
    await owner.process(items.slice(5, 10));
    const error = await stale.process(items.slice(5, 8)).catch((reason: unknown) => reason);
    expect(isRsError(error, 'RS_COMMIT_REJECTED')).toBe(true);
    await expect(stale.process(items.slice(5, 8))).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await owner.process(items.slice(10));
    expect(backend.outputs().map(({ value }) => value)).toEqual(items.map((_, i) => i + 1));
  });

  test('a value that cannot be stored fails its record, and is undone', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .keyBy((event) => event.key)
        .reduce((a, b) => ({
          ...b,
          amount: a.amount + b.amount,
          ...(b.time === 2 ? { at: () => b.time } : {}),
        }))
        .map((event) => event.amount)
        .addSink(() => undefined);
    };
    const backend = new CommitLogBackend();
    const driver = await BatchedDriver.open(taskOf(job), backend.acquire(), {
      ...options,
      cachedBytes: 1_000,
    });
    await expect(driver.process(items.slice(0, 5))).rejects.toMatchObject({ code: 'RS_INVALID_VALUE' });
    expect([driver.position, backend.outputs().map(({ value }) => value)]).toEqual([2, [1, 2]]);
    await driver.process([
      { type: 'record', input: 0, value: { key: 'k', time: 9, amount: 1 }, timestamp: 9 },
    ]);
    expect(backend.outputs().map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  test.each(['before', 'after'] as const)(
    'a commit that gets no answer, lost %s it was applied, ends the driver',
    async (lost) => {
      const backend = new CommitLogBackend();
      const owner = backend.acquire();
      const task = () => taskOf(failingIf(() => false));
      const failing: StateBackend = {
        ...owner,
        commit: async (batch) => {
          if (lost === 'after') await owner.commit(batch);
          throw new Error('connection lost');
        },
      };
      const driver = await BatchedDriver.open(task(), failing, options);
      await expect(driver.process(items.slice(0, 5))).rejects.toThrow('connection lost');
      await expect(driver.process(items.slice(0, 5))).rejects.toMatchObject({ code: 'RS_CLOSED' });
      const next = await BatchedDriver.open(task(), owner, options);
      await next.process(items.slice(next.position));
      expect(backend.outputs().map(({ value }) => value)).toEqual(items.map((_, i) => i + 1));
    },
  );

  test('a read that fails changes nothing, and the batch can be given again', async () => {
    const backend = new CommitLogBackend();
    const owner = committedBefore(backend.acquire());
    let reads = 0;
    const flaky: StateBackend = {
      ...owner,
      read: (addresses) => (++reads === 2 ? Promise.reject(new Error('read failed')) : owner.read(addresses)),
    };
    const driver = await BatchedDriver.open(taskOf(failingIf(() => false)), flaky, options);
    await driver.process(items.slice(0, 5));
    await expect(driver.process(items.slice(5))).rejects.toThrow('read failed');
    await driver.process(items.slice(5));
    expect(backend.outputs().map(({ value }) => value)).toEqual(items.map((_, i) => i + 1));
  });

  test('the cells that were wanted longest ago leave the memory first', async () => {
    const backend = new CommitLogBackend();
    const owner = committedBefore(backend.acquire());
    const read: string[] = [];
    const watched: StateBackend = {
      ...owner,
      read: (addresses) => {
        read.push(...addresses.map(({ key }) => key));
        return owner.read(addresses);
      },
    };
    const driver = await BatchedDriver.open(taskOf(failingIf(() => false)), watched, {
      ...options,
      cachedBytes: 450, // Two cells.
    });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) {
      await driver.process([{ type: 'record', input: 0, value: { key, time: 0, amount: 1 }, timestamp: 0 }]);
    }
    expect(read).toEqual(['s:a', 's:b', 's:c', 's:b']);
  });

  test('closed while a function is waiting, it commits nothing, and what comes later has no effect', async () => {
    let finish: () => void = () => undefined;
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .map((event) =>
          event.time === 1
            ? new Promise<number>((resolve) => {
                finish = () => resolve(event.time);
              })
            : event.time,
        )
        .addSink(() => undefined);
    };
    const backend = new CommitLogBackend();
    const driver = await BatchedDriver.open(taskOf(job), backend.acquire(), options);
    const processing = driver.process(items.slice(0, 3));
    driver.close();
    await expect(processing).rejects.toMatchObject({ code: 'RS_CLOSED' });
    finish();
    await Promise.resolve();
    expect([driver.position, backend.commits()]).toEqual([0, []]);
  });

  test('closed while state is read, it commits nothing', async () => {
    const backend = new CommitLogBackend();
    const owner = backend.acquire();
    const reading: { done?: () => void } = {};
    const slow: StateBackend = {
      ...owner,
      read: async (addresses) => {
        await new Promise<void>((resolve) => {
          reading.done = resolve;
        });
        return owner.read(addresses);
      },
    };
    const driver = await BatchedDriver.open(taskOf(failingIf(() => false)), slow, options);
    const processing = driver.process(items.slice(0, 3));
    await Promise.resolve();
    driver.close();
    reading.done?.();
    await expect(processing).rejects.toMatchObject({ code: 'RS_CLOSED' });
    expect(backend.commits()).toEqual([]);
  });

  test('one batch at a time: a second call is refused and does not disturb the first', async () => {
    const backend = new CommitLogBackend();
    const driver = await BatchedDriver.open(taskOf(failingIf(() => false)), backend.acquire(), options);
    const first = driver.process(items.slice(0, 3));
    await expect(driver.process(items.slice(3, 6))).rejects.toMatchObject({ code: 'RS_UNSUPPORTED' });
    await first;
    await driver.process(items.slice(3));
    expect(backend.outputs().map(({ value }) => value)).toEqual(items.map((_, i) => i + 1));
  });

  test('functions that were opened are closed when the task cannot be read', async () => {
    const calls: string[] = [];
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .keyBy((event) => event.key)
        .process<string>({
          open: () => void calls.push('open'),
          processElement: () => undefined,
          close: () => void calls.push('close'),
        })
        .addSink(() => undefined);
    };
    const broken: StateBackend = {
      ...new CommitLogBackend().acquire(),
      open: () => Promise.reject(new Error('not there')),
    };
    await expect(BatchedDriver.open(taskOf(job), broken, options)).rejects.toThrow('not there');
    expect(calls).toEqual(['open', 'close']);
  });
});
