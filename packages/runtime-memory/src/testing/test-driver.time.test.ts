import { describe, expect, test } from '@jest/globals';
import { defineJob, topic, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { Deferred } from '../test-support/deferred.ts';
import { notCalled } from '../test-support/orders-job.ts';
import { settle } from '../test-support/settle.ts';
import { TestDriver } from './index.ts';

const names = topic<string>('names');

/** Tells of each name, and again after a while without another one. */
const reminders = defineJob((env) => {
  env
    .fromTopic(names, 'test')
    .keyBy((name) => name)
    .process<string>(
      {
        processElement: (name, _value, ctx, out) => {
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 5_000);
          out.collect(`${name} at ${ctx.currentProcessingTime()}`);
        },
        onProcessingTime: (time, name, ctx, out) => {
          out.collect(`${name} due at ${time}, it is ${ctx.currentProcessingTime()}`);
          if (time < 12_000) ctx.registerProcessingTimeTimer(time + 5_000);
        },
      },
      { uid: 'reminders' },
    )
    .addSink(notCalled);
});

describe('advanceTime', () => {
  test('fires processing-time timers, each at its time', async () => {
    const driver = TestDriver.of(reminders, { startTime: 1_000 });
    await driver.send(names, { value: 'ada' });
    await driver.advanceTime(4_999);
    expect(driver.outputs()).toEqual(['ada at 1000']);
    await driver.advanceTime('1ms');
    expect(driver.outputs()).toEqual(['ada at 1000', 'ada due at 6000, it is 6000']);
    await driver.advanceTime('1m');
    expect(driver.outputs().slice(2)).toEqual([
      'ada due at 11000, it is 11000',
      'ada due at 16000, it is 16000',
    ]);
  });

  test('lets others have their turn between many timers', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .keyBy((name) => name)
        .process<void>({
          processElement: (_name, _value, ctx) => ctx.registerProcessingTimeTimer(1),
          onProcessingTime: (time, _name, ctx) => ctx.registerProcessingTimeTimer(time + 1),
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(names, { value: 'ada' });
    const passing = driver.advanceTime('365d');
    await settle();
    await driver.close();
    await expect(passing).rejects.toMatchObject({ code: 'RS_CLOSED' });
  });

  test('fires what is registered for a time that has come, at once', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .keyBy((name) => name)
        .process<string>({
          processElement: (_name, _value, ctx) =>
            ctx.registerProcessingTimeTimer(ctx.currentProcessingTime()),
          onProcessingTime: (time, name, _ctx, out) => out.collect(`${name} at ${time}`),
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { startTime: 7 });
    await driver.send(names, { value: 'ada' });
    expect(driver.outputs()).toEqual(['ada at 7']);
  });

  test('closes windows on processing time', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .keyBy((name) => name)
        .window(TumblingWindow.of('10s', { time: 'processing' }))
        .count()
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { names: 3 } });
    await driver.send(names, [
      { key: 'ada', value: 'ada' },
      { key: 'ada', value: 'ada' },
    ]);
    await driver.advanceTime(9_999);
    expect(driver.outputs()).toEqual([]);
    await driver.advanceTime(1);
    expect(driver.outputs()).toEqual([2]);
  });

  test('lets states expire, also in the eyes of a timer between two times', async () => {
    const last = valueState<string>('last', { ttl: '10s' });
    const job = defineJob((env) => {
      const keyed = env.fromTopic(names, 'test').keyBy((name) => name, { uid: 'by-name' });
      const state = keyed.getState(last);
      keyed
        .process<string>({
          processElement: (name, _value, ctx) => {
            state.update(name);
            for (const after of [9_999, 10_000]) ctx.registerProcessingTimeTimer(after);
          },
          onProcessingTime: (time, _name, _ctx, out) => out.collect(`${time}: ${state.value() ?? 'gone'}`),
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(names, { value: 'ada' });
    expect(await driver.state('by-name', last, 'ada')).toBe('ada');
    await driver.advanceTime('1h');
    expect(driver.outputs()).toEqual(['9999: ada', '10000: gone']);
    expect(await driver.state('by-name', last, 'ada')).toBeUndefined();
  });

  test('makes quiet partitions idle', async () => {
    const strategy = WatermarkStrategy.forMonotonousTimestamps<{ at: number }>()
      .withTimestampAssigner(({ at }) => at)
      .withIdleness('1m', { mode: 'hold' });
    const job = defineJob((env) => {
      env
        .fromTopic(topic<{ at: number }>('events'), 'test')
        .assignTimestampsAndWatermarks(strategy)
        .keyBy(() => 'all')
        .window(TumblingWindow.of('10s'))
        .count()
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { events: 2 } });
    await driver.send('events', [
      { value: { at: 1_000 }, partition: 0 },
      { value: { at: 2_000 }, partition: 1 },
    ]);
    await driver.advanceTime('30s');
    await driver.send('events', { value: { at: 15_000 }, partition: 0 });
    await driver.advanceTime('29s');
    expect(driver.outputs()).toEqual([]);
    await driver.advanceTime('1s');
    expect(driver.outputs()).toEqual([2]);
  });

  test('commits what waits for a full batch before', async () => {
    const driver = TestDriver.of(reminders, { batchSize: 10 });
    await driver.send(names, { value: 'ada' });
    expect(driver.outputs()).toEqual([]);
    await driver.advanceTime('5s');
    expect(driver.outputs()).toEqual(['ada at 0', 'ada due at 5000, it is 5000']);
  });

  test('where processing time follows the records, fires none of its timers', async () => {
    const driver = TestDriver.of(reminders, { processingTime: 'records' });
    await driver.send(names, { value: 'ada', timestamp: 1_000 });
    await driver.advanceTime('1h');
    expect(driver.outputs()).toEqual(['ada at 1000']);
    await driver.send(names, { value: 'bob', timestamp: 6_000 });
    expect(driver.outputs().slice(1)).toEqual(['ada due at 6000, it is 6000', 'bob at 6000']);
  });
});

describe('a call of the job that waits for the clock', () => {
  const asking = (ask: (attempt: number) => Promise<string>) =>
    defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .mapAsync((_name, { attempt }) => ask(attempt), {
          timeout: '10s',
          retry: { attempts: 3, delay: '1s' },
        })
        .addSink(notCalled);
    });
  const never = () => new Promise<string>(() => undefined);

  test('a retry comes when its time has come; waits are the longest ones', async () => {
    const attempts: number[] = [];
    const job = asking(async (attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('not yet');
      return 'answer';
    });
    const driver = TestDriver.of(job);
    const sent = driver.send(names, { value: 'ada' });
    await driver.advanceTime(999);
    expect(attempts).toEqual([1]);
    await driver.advanceTime(1);
    expect(attempts).toEqual([1, 2]);
    await driver.advanceTime('2s');
    await sent;
    expect([attempts, driver.outputs()]).toEqual([[1, 2, 3], ['answer']]);
  });

  test('a time-out fails the call, and with it the job', async () => {
    const driver = TestDriver.of(asking(never));
    const sent = driver.send(names, { value: 'ada' });
    const timedOut = { code: 'RS_ASYNC_TIMEOUT' };
    await Promise.all([
      expect(sent).rejects.toMatchObject(timedOut),
      // Before time passes, the record that has failed is tried again.
      expect(driver.advanceTime('1h')).rejects.toMatchObject(timedOut),
    ]);
  });

  test('a timer may lead to one', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .keyBy((name) => name)
        .process<string>({
          processElement: (_name, _value, ctx) => ctx.registerProcessingTimeTimer(5_000),
          onProcessingTime: (time, name, _ctx, out) => out.collect(`${name} due at ${time}`),
        })
        .mapAsync((text, { attempt }) => (attempt < 3 ? never() : text), {
          timeout: '10s',
          retry: { attempts: 3, delay: '1s' },
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(names, { value: 'ada' });
    await driver.advanceTime('27s');
    expect(driver.outputs()).toEqual([]);
    await driver.advanceTime('1s');
    await driver.flush();
    expect(driver.outputs()).toEqual(['ada due at 5000']);
  });

  test('time that passes meanwhile is not passed again, and timers fire after it', async () => {
    const answer = new Deferred<string>();
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .mapAsync(() => answer.promise, { timeout: '1h' })
        .keyBy((name) => name)
        .process<string>({
          processElement: (name, _value, ctx, out) => {
            ctx.registerProcessingTimeTimer(5_000);
            out.collect(`${name} at ${ctx.currentProcessingTime()}`);
          },
          onProcessingTime: (time, name, _ctx, out) => out.collect(`${name} due at ${time}`),
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    const sent = driver.send(names, { value: 'ada' });
    await driver.advanceTime('4s');
    answer.resolve('answer');
    await sent;
    await settle();
    expect(driver.outputs()).toEqual(['answer at 0']);
    await driver.advanceTime(999);
    expect(driver.outputs()).toEqual(['answer at 0']);
    await driver.advanceTime(1);
    expect(driver.outputs()).toEqual(['answer at 0', 'answer due at 5000']);
  });

  test('is given up when the driver is closed', async () => {
    const driver = TestDriver.of(asking(never));
    const sent = driver.send(names, { value: 'ada' });
    const advanced = driver.advanceTime('1s');
    await advanced;
    const further = driver.advanceTime('1s');
    await driver.close();
    await expect(sent).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await Promise.allSettled([further]);
  });
});

describe('a function that waits', () => {
  const asking = (answer: () => Promise<string>) =>
    defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .mapAsync(answer, { timeout: '2s', retry: { attempts: 2, delay: '1s' } })
        .addSink(notCalled);
    });

  test('for some turns of the event loop is not timed out', async () => {
    const driver = TestDriver.of(
      asking(async () => {
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
        return 'answered';
      }),
    );
    const sent = driver.send(names, [{ value: 'ada' }, { value: 'bob' }]);
    await driver.advanceTime('1h');
    await sent;
    expect(driver.outputs()).toEqual(['answered', 'answered']);
  });

  test('for nothing that comes is timed out', async () => {
    const driver = TestDriver.of(asking(() => new Promise(() => undefined)));
    const sent = expect(driver.send(names, { value: 'ada' })).rejects.toMatchObject({
      code: 'RS_ASYNC_TIMEOUT',
    });
    await driver.advanceTime('5s'); // Two attempts, and what is between them.
    await sent;
  });
});
