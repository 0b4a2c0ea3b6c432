import { describe, expect, test } from '@jest/globals';
import { RsError, valueState } from '@rs/core';
import { DriverRun } from '../../test-support/driver-run.ts';
import type { Event } from '../../test-support/job-catalogue.ts';
import type { HarnessJob } from '../../testing/index.ts';
import type { CommitBatch } from './backend.ts';
import type { InputItem } from './input-item.ts';

const items = Array.from({ length: 100 }, (_, time): InputItem => ({
  type: 'record',
  input: 0,
  value: { key: `k${time % 3}`, time, amount: 1 } satisfies Event,
  timestamp: time,
}));

/** Running numbers, unless a record fails before its state is read, or behind it. */
const counting =
  (fails: (time: number) => boolean, where: 'before' | 'behind' = 'behind'): HarnessJob =>
  (env) => {
    const check = (at: string) => (event: Event) => {
      if (at === where && fails(event.time)) throw new Error(`record ${event.time} failed`);
      return event;
    };
    env
      .input<Event>()
      .map(check('before'))
      .keyBy(() => 'all')
      .map(check('behind'))
      .sum(({ amount }) => amount)
      .addSink(() => undefined);
  };

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Fails once for each of these records. */
function once(...times: readonly number[]): (time: number) => boolean {
  const left = new Set(times);
  return (time) => left.delete(time);
}

describe('a batch with a failing record', () => {
  test.each(['before', 'behind'] as const)(
    'that fails %s its state: those before it are one batch, and it is tried alone',
    async (where) => {
      const run = new DriverRun();
      const driver = await run.open(
        counting((time) => time === 70, where),
        { attempts: 3 },
      );
      await expect(driver.process(items)).rejects.toThrow('record 70 failed');
      expect([driver.position, driver.failedByUser, run.sizes]).toEqual([70, true, [70]]);
      expect(run.values).toEqual(upTo(70));
      await driver.skip(1);
      expect([driver.position, driver.failedByUser]).toEqual([71, false]);
      await driver.process(items.slice(71));
      expect([run.values, run.sizes]).toEqual([upTo(99), [70, 1, 29]]);
    },
  );

  test('that passes alone: the rest goes on in batches', async () => {
    const run = new DriverRun();
    const driver = await run.open(counting(once(40)));
    await driver.process(items);
    expect([run.values, run.sizes, driver.failedByUser]).toEqual([upTo(100), [40, 60], false]);
  });

  test('costs few commits, also when it is one of several', async () => {
    const run = new DriverRun();
    const driver = await run.open(counting(once(20, 40, 41, 60, 99)));
    await driver.process(items);
    expect(run.values).toEqual(upTo(100));
    expect(run.sizes.length).toBeLessThan(16);
  });

  test('does not make much work in vain when all of them fail', async () => {
    let begun = 0;
    const fails = once(...items.keys());
    const run = new DriverRun();
    const driver = await run.open(
      (env) => {
        env
          .input<Event>()
          .filter(() => ++begun > 0)
          .keyBy(() => 'all')
          .map((event) => {
            if (fails(event.time)) throw new Error('once');
            return event;
          })
          .sum(({ amount }) => amount)
          .addSink(() => undefined);
      },
      { attempts: 2 },
    );
    await driver.process(items);
    expect(run.values).toEqual(upTo(100));
    expect(begun).toBeLessThan(600);
  });

  test('is found by its promise as well', async () => {
    const run = new DriverRun();
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .map(async ({ time }) => {
          await Promise.resolve();
          if (time === 70) throw new Error('failed late');
          return time + 1;
        })
        .addSink(() => undefined);
    });
    await expect(driver.process(items)).rejects.toThrow('failed late');
    expect([driver.position, run.sizes]).toEqual([70, [70]]);
  });

  test('is found among calls that overlap', async () => {
    const run = new DriverRun();
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .mapAsync(
          async ({ time }) => {
            for (let turns = 0; turns < (time * 7) % 5; turns++) await Promise.resolve();
            if (time === 70) throw new Error('failed late');
            return time + 1;
          },
          { concurrency: 8 },
        )
        .addSink(() => undefined);
    });
    await expect(driver.process(items)).rejects.toThrow('failed late');
    expect([driver.position, run.sizes]).toEqual([70, [70]]);
  });

  test('that cannot be told from the others is looked for', async () => {
    const held = valueState<{ time: number; at?: () => number }>('held');
    const run = new DriverRun();
    const driver = await run.open((env) => {
      const keyed = env.input<Event>().keyBy(({ time }) => `k${time}`);
      const state = keyed.getState(held);
      keyed
        .process<number>((_key, { time }, _ctx, out) => {
          const value: { time: number; at?: () => number } = { time };
          state.update(value);
          if (time === 70) value.at = () => time; // Nobody sees that before the batch is committed.
          out.collect(time + 1);
        })
        .addSink(() => undefined);
    });
    await expect(driver.process(items)).rejects.toMatchObject({ code: 'RS_INVALID_VALUE' });
    expect([driver.position, run.values]).toEqual([70, upTo(70)]);
  });
});

describe('a batch that the backend does not admit', () => {
  const tooLarge = (limit: number) => (batch: CommitBatch) => {
    if (batch.outputs.length > limit)
      throw new RsError('RS_RECORD_TOO_LARGE', `${batch.outputs.length} outputs, but ${limit} fit`);
  };

  test('since it is too large: goes in parts, in as many as it takes', async () => {
    const run = new DriverRun();
    run.admit = tooLarge(20);
    const driver = await run.open(counting(() => false));
    await driver.process(items);
    expect([run.values, run.sizes]).toEqual([upTo(100), [13, 13, 13, 13, 13, 13, 13, 9]]);
    expect(run.processed).toBe(8 + 3);
  });

  test('down to a record that is too large alone: that fails', async () => {
    const run = new DriverRun();
    run.admit = (batch) => {
      if (batch.outputs.some(({ value }) => value === 31)) tooLarge(0)(batch);
    };
    const driver = await run.open(
      counting(() => false),
      { attempts: 2 },
    );
    await expect(driver.process(items)).rejects.toMatchObject({ code: 'RS_RECORD_TOO_LARGE' });
    expect([driver.position, driver.failedByUser, run.values]).toEqual([30, true, upTo(30)]);
    await driver.skip(1);
    run.admit = () => undefined;
    await driver.process(items.slice(31));
    expect(run.values).toEqual(upTo(99));
  });

  test('for another reason: its records go one by one', async () => {
    const run = new DriverRun();
    run.admit = ({ outputs }) => {
      if (outputs.some(({ value }) => value === 4)) throw new Error('the fourth is not wanted');
    };
    const driver = await run.open(counting(() => false));
    await expect(driver.process(items.slice(0, 6))).rejects.toThrow('the fourth is not wanted');
    expect([driver.position, driver.failedByUser, run.values]).toEqual([3, true, upTo(3)]);
  });
});

describe('what the driver says of itself', () => {
  test('a backend that fails is no failure of user code', async () => {
    const run = new DriverRun();
    await (await run.open(counting(() => false))).skip(0);
    const driver = await run.open(counting(() => false));
    run.backend.read = () => Promise.reject(new Error('read failed'));
    await expect(driver.process(items)).rejects.toThrow('read failed');
    expect([driver.failedByUser, driver.failedTimer, driver.position]).toEqual([false, undefined, 0]);
  });

  test('skipping is a commit like any other, and changes nothing else', async () => {
    const run = new DriverRun();
    const driver = await run.open(counting(() => false));
    await driver.process(items.slice(0, 3));
    await driver.skip(4);
    expect(run.backend.commits().at(-1)).toMatchObject({
      seq: 2,
      offset: 7,
      cells: [],
      timers: [],
      outputs: [],
    });
    const next = await run.open(counting(() => false));
    expect(next.position).toBe(7);
    await expect(driver.skip(1)).rejects.toMatchObject({ code: 'RS_COMMIT_REJECTED' });
  });
});
