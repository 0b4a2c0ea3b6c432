import { describe, expect, test } from '@jest/globals';
import { defineJob, type KeyedProcessFunction, topic, valueState } from '@rs/core';
import fc from 'fast-check';
import { notCalled, orders, spending, spent } from '../test-support/orders-job.ts';
import { TestDriver } from './index.ts';

const order = (customer: string, amount: number, timestamp: number) => ({
  key: customer,
  value: { customer, amount },
  timestamp,
});

const names = topic<string>('names');

describe('crash', () => {
  test('loses what was not committed; after restart it is processed again, once in effect', async () => {
    const calls: string[] = [];
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .map((name) => {
          calls.push(name);
          return name;
        })
        .keyBy((name) => name)
        .sum(() => 1, { uid: 'counts' })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { batchSize: 3 });
    await driver.send(names, [{ value: 'a' }, { value: 'b' }]);
    expect([calls, driver.outputs()]).toEqual([[], []]);
    await driver.crash();
    expect([calls, driver.outputs()]).toEqual([['a', 'b'], []]);
    await driver.send(names, { value: 'a' });
    expect(calls).toHaveLength(2);
    await driver.restart();
    expect([calls, driver.outputs()]).toEqual([
      ['a', 'b', 'a', 'b', 'a'],
      [1, 1, 2],
    ]);
  });

  test('keeps state, windows and timers', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 3 } });
    await driver.send(orders, [order('ada', 60, 1_000), order('bob', 1, 2_000)]);
    const timers = driver.timers();
    await driver.crash();
    expect(await driver.state('by-customer', spent, 'ada')).toBe(60);
    expect(driver.timers()).toEqual(timers);
    await driver.restart();
    await driver.send(orders, order('ada', 41, 3_000));
    await driver.end();
    expect(driver.outputs('alerts')).toEqual(['ada: 101']);
    expect(driver.outputs<string>('windows-out').toSorted()).toEqual(['ada 0s: 101', 'bob 0s: 1']);
  });

  test('does not stop the clock: what became due fires after restart, at once', async () => {
    const expiring = valueState<string>('expiring', { ttl: '1m' });
    const function_: KeyedProcessFunction<string, string, string> = {
      open: (ctx) => void ctx.state(expiring),
      processElement: (name, _value, ctx) => {
        ctx.state(expiring).update(name);
        ctx.registerProcessingTimeTimer(5_000);
      },
      onProcessingTime: (time, name, ctx, out) =>
        out.collect(`${name} due at ${time}: ${ctx.state(expiring).value() ?? 'gone'}`),
    };
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .keyBy((name) => name)
        .process(function_, { uid: 'process' })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(names, { value: 'ada' });
    await driver.crash();
    await driver.advanceTime('59s');
    expect(driver.outputs()).toEqual([]);
    expect(await driver.state('process', expiring, 'ada')).toBe('ada');
    await driver.advanceTime('1s');
    expect(await driver.state('process', expiring, 'ada')).toBeUndefined();
    await driver.restart();
    expect(driver.outputs()).toEqual(['ada due at 5000: gone']);
  });

  test('finds functions that keep what they should not', async () => {
    const job = defineJob((env) => {
      const seen = new Set<string>();
      env
        .fromTopic(names, 'test')
        .filter((name) => !seen.has(name) && seen.add(name) !== undefined)
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { batchSize: 2 });
    await driver.send(names, { value: 'ada' });
    await driver.crash();
    await driver.restart();
    await driver.flush();
    expect(driver.outputs()).toEqual([]); // The record is lost.
  });

  test('may come before everything else, also where a source has fewer partitions than another', async () => {
    const job = defineJob((env) => {
      env
        .fromElements('a')
        .union(env.fromTopic(names, 'test'))
        .keyBy((name) => name)
        .sum(() => 1, { uid: 'counts' })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { names: 3 } });
    await driver.crash();
    await driver.send(names, { value: 'a', partition: 2 });
    await driver.restart();
    await driver.end();
    expect(driver.outputs()).toEqual([1, 2]);
  });

  test.each(['run', 'flush', 'end', 'rebalance', 'crash', 'idle', 'advanceWatermark'] as const)(
    'leaves nobody for %s',
    async (method) => {
      const driver = TestDriver.of(spending);
      await driver.crash();
      const called =
        method === 'idle'
          ? driver.idle(orders)
          : method === 'advanceWatermark'
            ? driver.advanceWatermark(1)
            : driver[method]();
      await expect(called).rejects.toMatchObject({
        code: 'RS_UNSUPPORTED',
        message: `${method}: the job has crashed; call restart first`,
        details: { operation: method },
      });
      await driver.restart();
      await driver.flush();
    },
  );

  test('comes before restart', async () => {
    await expect(TestDriver.of(spending).restart()).rejects.toMatchObject({
      code: 'RS_UNSUPPORTED',
      message: expect.stringContaining('call crash first'),
    });
  });
});

describe('rebalance', () => {
  test('opens functions anew and goes on from what was committed', async () => {
    const calls: string[] = [];
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .keyBy((name) => name)
        .process<string>({
          open: () => void calls.push('open'),
          processElement: (name, _value, ctx) => {
            calls.push(name);
            ctx.registerProcessingTimeTimer(10);
          },
          onProcessingTime: (_time, name, _ctx, out) => out.collect(name),
          close: () => void calls.push('close'),
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    expect(calls).toEqual([]);
    await driver.send(names, { value: 'ada' });
    await driver.rebalance();
    await driver.advanceTime(10);
    expect(driver.outputs()).toEqual(['ada']);
    await driver.close();
    expect(calls).toEqual(['open', 'ada', 'open', 'close', 'close']);
  });
});

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ customer: fc.constantFrom('ada', 'bob', 'cleo'), step: fc.nat({ max: 4_000 }) }),
    },
    { weight: 2, arbitrary: fc.constantFrom('crash', 'rebalance', 'flush', 'time') },
  ),
  { maxLength: 25 },
);

test('whatever happens between messages, each has its effect once', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (all, partitions, batchSize) => {
        const calm = TestDriver.of(spending, { topics: { orders: 1 }, watermarkOutOfOrderness: '1d' });
        const driver = TestDriver.of(spending, {
          topics: { orders: partitions },
          batchSize,
          watermarkOutOfOrderness: '1d',
        });
        let time = 0;
        for (const step of all) {
          if (typeof step === 'object') {
            time += step.step;
            const message = order(step.customer, 30, time);
            await Promise.all([calm.send(orders, message), driver.send(orders, message)]);
          } else if (step === 'crash') {
            await driver.crash();
            await driver.restart();
          } else if (step === 'time') await driver.advanceTime('1h');
          else await driver[step]();
        }
        await Promise.all([calm.end(), driver.end()]);
        for (const sink of ['alerts', 'windows-out'])
          expect(driver.outputs<string>(sink).toSorted()).toEqual(calm.outputs<string>(sink).toSorted());
        for (const customer of ['ada', 'bob', 'cleo'])
          expect(await driver.state('by-customer', spent, customer)).toEqual(
            await calm.state('by-customer', spent, customer),
          );
      },
    ),
    { numRuns: 40, seed: 17 },
  );
}, 60_000);
