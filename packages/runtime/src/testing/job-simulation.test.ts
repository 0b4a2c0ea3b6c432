import { describe, expect, test } from '@jest/globals';
import { valueState } from '@rs/core';
import { type Event } from '../test-support/job-catalogue.ts';
import { Deferred } from '../test-support/deferred.ts';
import { Simulated } from '../test-support/simulated.ts';
import { event, ignore, windows } from '../test-support/simulated-jobs.ts';
import { turn } from '../test-support/turn.ts';
import type { HarnessJob } from './job-harness.ts';

/** `key:sum so far` of each record. */
const sums: HarnessJob = (env) => {
  env
    .input<Event>()
    .keyBy(({ key }) => key)
    .reduce((a, b) => ({ ...b, amount: a.amount + b.amount }))
    .map(({ key, amount }) => `${key}:${amount}`)
    .addSink(ignore);
};

describe('an exchange', () => {
  test('brings the records of a key together, whatever partition they come in', async () => {
    const partitions = new Set<number>();
    const run = new Simulated(sums, { partitions: 3, onOutput: (_, task) => partitions.add(task.partition) });
    for (let n = 0; n < 9; n++) run.record(n % 3, event('a', n), n);
    await run.job.run();
    expect(run.values).toEqual(Array.from({ length: 9 }, (_, n) => `a:${n + 1}`));
    expect(partitions.size).toBe(1);
  });

  test('does not cut a job whose source has one partition', async () => {
    const run = new Simulated(sums, { partitions: 1 });
    expect(run.job.tasks.map(({ stage, partition }) => [stage.index, partition])).toEqual([[0, 0]]);
    expect(new Simulated(sums, { partitions: 3 }).job.tasks).toHaveLength(6);
  });

  test('what goes around it is forwarded in its partition', async () => {
    const around: HarnessJob = (env) => {
      const input = env.input<Event>();
      const keyed = input.keyBy(({ key }) => key).map(({ key }) => `through ${key}`);
      keyed
        .reduce((_, b) => b)
        .union(input.map(({ key }) => `around ${key}`))
        .addSink(ignore);
    };
    const places: [unknown, number][] = [];
    const run = new Simulated(around, {
      partitions: 3,
      onOutput: ({ value }, { partition }) => places.push([value, partition]),
    });
    run.record(0, event('a', 0), 0).record(2, event('a', 1), 1);
    await run.job.run();
    // 'a' belongs to partition 1: 97 mod 3.
    expect(places.toSorted()).toEqual([
      ['around a', 0],
      ['around a', 2],
      ['through a', 1],
      ['through a', 1],
    ]);
  });

  test('time behind it is that of the slowest partition with something to read', async () => {
    const together = new Simulated(windows, { partitions: 3 });
    together.record(0, event('k', 35), 35).record(1, event('k', 5), 5);
    await together.job.run();
    expect([together.values, together.late()]).toEqual([[], 0]);

    const apart = new Simulated(windows, { partitions: 3 });
    await apart.record(0, event('k', 35), 35).job.run();
    await apart.record(1, event('k', 5), 5).job.run();
    expect(apart.late()).toBe(1);
  });
});

describe('batches', () => {
  test('wait until they are full, in each task', async () => {
    const run = new Simulated(sums, { partitions: 1, batchSize: 3 });
    run.record(0, event('a', 0), 0).record(0, event('a', 1), 1);
    await run.job.run();
    expect(run.values).toEqual([]);
    await run.record(0, event('a', 2), 2).record(0, event('a', 3), 3).job.run();
    expect(run.values).toEqual(['a:1', 'a:2', 'a:3']);
    await run.job.flush();
    expect(run.values).toHaveLength(4);
  });

  test('of a task whose inputs have ended do not wait for more', async () => {
    const run = new Simulated(windows, { partitions: 3, batchSize: 100 });
    await run.record(1, event('a', 1), 1).end().job.run();
    expect(run.values).toEqual(['a@0:1']);
  });

  test('are what functions are asked about, in any order of partitions, and nothing else', async () => {
    const seen: string[] = [];
    const watched: HarnessJob = (env) => {
      env
        .input<Event>()
        .map((value) => {
          seen.push(value.key);
          return value;
        })
        .addSink(ignore);
    };
    const run = new Simulated(watched, { partitions: 2, batchSize: 2 });
    run.record(1, event('b', 0), 0).record(0, event('a', 0), 0).record(1, event('c', 0), 0);
    await run.job.run();
    expect(seen).toEqual(['b', 'c']);
  });
});

describe('values', () => {
  test('are stored and read back: what a function changes in a record is not there when it comes again', async () => {
    let failing = true;
    const changing: HarnessJob = (env) => {
      env
        .input<{ tags: string[] }>()
        .map((value) => {
          value.tags.push('seen');
          if (failing) throw new Error('not yet');
          return value.tags;
        })
        .addSink(ignore);
    };
    const run = new Simulated(changing, { partitions: 1 });
    const value = { tags: ['new'] };
    run.record(0, value, 0);
    value.tags.push('changed by the caller');
    await expect(run.job.run()).rejects.toThrow('not yet');
    failing = false;
    await run.job.run();
    expect(run.values).toEqual([['new', 'seen']]);
  });

  test('of outputs are those at the time of the call, also when the object changes within the batch', async () => {
    const reusing: HarnessJob = (env) => {
      const list: string[] = [];
      env
        .input<Event>()
        .map(({ key }) => {
          list.push(key);
          return list;
        })
        .addSink(ignore);
    };
    const run = new Simulated(reusing, { partitions: 1, batchSize: 2 });
    await run.record(0, event('a', 0), 0).record(0, event('b', 0), 0).job.run();
    expect(run.values).toEqual([['a'], ['a', 'b']]);
  });

  test.each([
    ['a sink', 1, 'sink'],
    ['other partitions', 2, "the records of keyBy 'by-key' for other partitions"],
  ])('that cannot go to %s fail their record, and nothing but it', async (_, partitions, place) => {
    let broken = true;
    const functions: HarnessJob = (env) => {
      env
        .input<Event>()
        .map(({ key }) => ({ key, ...(broken && key === 'b' ? { deep: [{ run: ignore }] } : {}) }))
        .keyBy(({ key }) => key, { uid: 'by-key' })
        .map((value) => value)
        .process<unknown>((_key, value, _ctx, out) => out.collect(value))
        .addSink(ignore);
    };
    const run = new Simulated(functions, { partitions, batchSize: 2 });
    run.record(0, event('a', 0), 0).record(0, event('b', 1), 1);
    await expect(run.job.flush()).rejects.toMatchObject({
      code: 'RS_INVALID_VALUE',
      message: expect.stringMatching(new RegExp(`${place}: the value at deep.*run is a function`)),
    });
    broken = false;
    await run.job.flush();
    expect(run.outputs.map(({ value }) => (value as Event).key).toSorted()).toEqual(['a', 'b']);
  });

  test('that cannot be stored are refused by append, and leave nothing behind', async () => {
    const run = new Simulated(windows, { partitions: 2 });
    expect(() => run.record(0, { at: ignore }, 0)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_VALUE',
        message: expect.stringContaining('the value at at is a function'),
      }),
    );
    await run.record(1, event('a', 25), 25).job.run();
    await run.record(1, event('a', 35), 35).job.run();
    expect(run.values).toEqual(['a@20:1']); // Partition 0 has nothing to read.
  });
});

test('a partition that a source does not have is refused', async () => {
  const run = new Simulated(windows, { partitions: 2 });
  const refused = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });
  expect(() => run.record(2, event('a', 1), 1)).toThrow(refused);
  await expect(run.job.advance(1, { source: run.source(), partition: -1 })).rejects.toEqual(refused);
});

describe('states', () => {
  const count = valueState('count', { default: () => 0 });
  const own = valueState<string>('own');
  const declared: HarnessJob = (env) => {
    const keyed = env.input<Event>().keyBy(({ key }) => key, { uid: 'by-key' });
    const counted = keyed.getState(count);
    keyed
      .process<void>(
        {
          open: (ctx) => void ctx.state(own),
          processElement: () => counted.update(counted.value() + 1),
        },
        { uid: 'counting' },
      )
      .addSink(ignore);
  };

  test('are named with the operator that they are stored under, and each partition', async () => {
    const run = new Simulated(declared, { partitions: 2 });
    const states = await run.job.states();
    expect(states.map(({ operator, descriptor, task }) => [operator, descriptor, task.partition])).toEqual([
      ['by-key', count, 0],
      ['counting', own, 0],
      ['by-key', count, 1],
      ['counting', own, 1],
    ]);
    await run.job.crash();
    expect(await run.job.states()).toHaveLength(4);
  });
});

describe('closing', () => {
  test('fails what is under way, and what comes later', async () => {
    const waiting = new Deferred<string>();
    const stuck: HarnessJob = (env) => {
      env
        .input<Event>()
        .map(() => waiting.promise)
        .addSink(ignore);
    };
    const run = new Simulated(stuck, { partitions: 1 });
    const running = run.record(0, event('a', 0), 0).job.run();
    await turn();
    run.job.close();
    run.job.close();
    await expect(running).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await expect(run.job.run()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await expect(new Simulated(stuck, { partitions: 1 }).job.run()).resolves.toBeUndefined();
  });

  test('a task that is being opened meanwhile is closed as well', async () => {
    const calls: string[] = [];
    const watched: HarnessJob = (env) => {
      env
        .input<Event>()
        .keyBy(({ key }) => key)
        .process<void>({
          open: () => void calls.push('open'),
          processElement: ignore,
          close: () => void calls.push('close'),
        })
        .addSink(ignore);
    };
    const run = new Simulated(watched, { partitions: 1 });
    const running = run.job.run();
    run.job.close();
    await expect(running).rejects.toMatchObject({ code: 'RS_CLOSED' });
    expect(calls).toEqual(['open', 'close']);
  });
});
