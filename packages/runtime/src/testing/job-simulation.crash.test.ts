import { describe, expect, test } from '@jest/globals';
import { type Event } from '../test-support/job-catalogue.ts';
import { Simulated } from '../test-support/simulated.ts';
import { event, ignore, reminders } from '../test-support/simulated-jobs.ts';
import { turn } from '../test-support/turn.ts';
import type { HarnessJob } from './job-harness.ts';

describe('a crash', () => {
  test('loses what was not committed, which is processed again after it', async () => {
    const calls: string[] = [];
    const watched: HarnessJob = (env) => {
      env
        .input<Event>()
        .map((value) => {
          calls.push(value.key);
          return value;
        })
        .keyBy(({ key }) => key)
        .sum(({ amount }) => amount)
        .addSink(ignore);
    };
    const run = new Simulated(watched, { partitions: 1, batchSize: 2 });
    run.record(0, event('a', 0), 0).record(0, event('b', 1), 1);
    await run.job.run();
    await run.record(0, event('c', 2), 2).job.run();
    await run.job.crash();
    expect([calls, run.values, run.job.crashed]).toEqual([['a', 'b', 'c'], [1, 1], true]);
    await run.record(0, event('c', 3), 3).job.run();
    expect(run.values).toEqual([1, 1]);
    await run.job.restart();
    expect([calls, run.values]).toEqual([
      ['a', 'b', 'c', 'c', 'c'],
      [1, 1, 1, 2],
    ]);
  });

  test('in a crash is none, and what was committed before the first one is not processed again', async () => {
    const calls: string[] = [];
    const watched: HarnessJob = (env) => {
      env
        .input<Event>()
        .map(({ key }) => void calls.push(key))
        .addSink(ignore);
    };
    const run = new Simulated(watched, { partitions: 1 });
    await run.record(0, event('a', 0), 0).job.run();
    await run.job.crash();
    await run.job.crash();
    await run.job.restart();
    await run.job.crash();
    expect(calls).toEqual(['a']);
  });

  test('stops the clock: timers that become due meanwhile fire after it, before further records', async () => {
    const run = new Simulated(reminders, { partitions: 2, processingTime: 'clock' });
    await run.keyed('a', event('a', 0), 0).job.run();
    await run.job.crash();
    await run.tickAt(10);
    expect([run.values, await run.job.nextTimer()]).toEqual([['a'], Infinity]);
    run.keyed('b', event('b', 1), 1);
    await run.job.restart();
    expect(run.values).toEqual(['a', 'a is due at 5', 'b']);
  });
});

/** Notes what is called; `onOpen` may throw. */
const lifeOf =
  (calls: string[], onOpen: () => void = ignore): HarnessJob =>
  (env) => {
    env
      .input<Event>()
      .keyBy(({ key }) => key)
      .process<string>({
        open: () => {
          calls.push('open');
          onOpen();
        },
        processElement: (key, _value, _ctx, out) => {
          calls.push(key);
          out.collect(key);
        },
        close: () => void calls.push('close'),
      })
      .addSink(ignore);
  };

describe('a crash of functions', () => {
  test('does not close them', async () => {
    const calls: string[] = [];
    const run = new Simulated(lifeOf(calls), { partitions: 1, batchSize: 2 });
    await run.record(0, event('a', 0), 0).job.run();
    await run.job.crash();
    run.job.close();
    expect(calls).toEqual(['open', 'open', 'a']);
  });

  test('that wait stops them where they are, and what is under way fails', async () => {
    let answering = false;
    let calls = 0;
    const waiting: HarnessJob = (env) => {
      env
        .input<Event>()
        .map(({ key }) => {
          calls++;
          return answering ? key : new Promise<string>(() => undefined);
        })
        .addSink(ignore);
    };
    const run = new Simulated(waiting, { partitions: 2, batchSize: 2 });
    run.record(0, event('a', 0), 0).record(0, event('b', 0), 0).record(1, event('c', 0), 0);
    const running = expect(run.job.run()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await turn();
    await run.job.crash(); // The first task dies in its batch, the other one in its next.
    await running;
    expect([calls, run.values]).toEqual([2, []]);
    answering = true;
    await run.job.restart();
    await run.job.flush();
    expect([calls, run.values]).toEqual([5, ['a', 'b', 'c']]);
  });

  test('while tasks are being opened leaves none behind', async () => {
    const calls: string[] = [];
    const run = new Simulated(lifeOf(calls), { partitions: 1 });
    const running = expect(run.job.run()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    const rebalanced = expect(run.job.rebalance()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await run.job.crash();
    await Promise.all([running, rebalanced]);
    expect(calls).not.toContain('close');
    await run.job.restart();
    await run.record(0, event('a', 0), 0).job.run();
    expect(run.values).toEqual(['a']);
  });
});

describe('a rebalance', () => {
  test('to an owner that cannot open its functions fails, and the next call opens them again', async () => {
    const calls: string[] = [];
    let broken = false;
    const job = lifeOf(calls, () => {
      if (broken) throw new Error('no licence');
    });
    const run = new Simulated(job, { partitions: 1 });
    await run.record(0, event('a', 0), 0).job.run();
    broken = true;
    await expect(run.job.rebalance()).rejects.toThrow('no licence');
    await expect(run.record(0, event('b', 1), 1).job.run()).rejects.toThrow('no licence');
    broken = false;
    await run.job.run();
    expect(run.values).toEqual(['a', 'b']);
  });

  test('gives every task to another owner, with its state and timers', async () => {
    const run = new Simulated(reminders, { partitions: 3, processingTime: 'clock' });
    const owners = run.job.tasks.map(({ backend }) => backend.acquire());
    await run.keyed('a', event('a', 0), 0).job.run();
    await run.job.rebalance();
    await run.tickAt(5);
    expect(run.values).toEqual(['a', 'a is due at 5']);
    const empty = { cells: [], timers: [], outputs: [], sent: [], operators: {}, late: {} };
    for (const owner of owners) expect(await owner.commit({ seq: 99, offset: 99, ...empty })).toBe('FENCED');
  });

  test('opens the functions for the new owners, and closes those of the ones before', async () => {
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
    await run.job.run();
    await run.job.rebalance();
    run.job.close();
    expect(calls).toEqual(['open', 'open', 'close', 'close']);
  });
});
