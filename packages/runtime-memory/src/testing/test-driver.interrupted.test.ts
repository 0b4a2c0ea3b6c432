import { describe, expect, test } from '@jest/globals';
import { defineJob, type MapAsyncOptions, topic } from '@rs/core';
import { Deferred } from '../test-support/deferred.ts';
import { notCalled, orders, spending } from '../test-support/orders-job.ts';
import { settle } from '../test-support/settle.ts';
import { TestDriver } from './index.ts';

const order = (customer: string, amount: number, timestamp: number) => ({
  key: customer,
  value: { customer, amount },
  timestamp,
});

const names = topic<string>('names');

const stuck = defineJob((env) => {
  env
    .fromTopic(names, 'test')
    .map(() => new Promise<never>(() => undefined))
    .addSink(notCalled);
});

/** Notes what is called; `onOpen` may throw. */
function watched(calls: string[], onOpen: () => void) {
  return defineJob((env) => {
    env
      .fromTopic(names, 'test')
      .keyBy((name) => name)
      .process<string>({
        open: () => {
          calls.push('open');
          onOpen();
        },
        processElement: (name, _value, _ctx, out) => {
          calls.push(name);
          out.collect(name);
        },
        close: () => void calls.push('close'),
      })
      .addSink(notCalled);
  });
}

describe('crash', () => {
  test('comes although the function never answers', async () => {
    const driver = TestDriver.of(stuck, { batchSize: 2 });
    await driver.send(names, { value: 'ada' });
    await driver.crash();
    await driver.close();
  });

  test.each<[string, MapAsyncOptions]>([
    ['a retry', { retry: { attempts: 2, delay: '5s' } }],
    ['a time-out', { timeout: '1m' }],
    ['a promise', {}],
  ])('interrupts what waits for %s, and after restart it is asked anew', async (_, options) => {
    let calls = 0;
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .mapAsync((name) => {
          if (++calls === 2) return `${name} at last`;
          return 'retry' in options
            ? Promise.reject(new Error('no connection'))
            : new Promise<never>(() => undefined);
        }, options)
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    const sent = driver.send(names, { value: 'ada' });
    await driver.crash();
    await sent; // The message is in the topic.
    expect([calls, driver.outputs()]).toEqual([1, []]);
    await driver.restart();
    expect([calls, driver.outputs()]).toEqual([2, ['ada at last']]);
  });

  test('lets calls before it end that can', async () => {
    const driver = TestDriver.of(spending);
    void driver.send(orders, order('ada', 101, 1_000));
    void driver.flush();
    await driver.crash();
    expect(driver.outputs('alerts')).toEqual(['ada: 101']);
  });

  test('rejects the calls that have not ended, but for messages, which are in the topic', async () => {
    let answering = false;
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .map((name) => (answering ? name : new Promise<string>(() => undefined)))
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    const sent = [driver.send(names, { value: 'ada' }), driver.send(names, { value: 'bob' })];
    const failing = (['flush', 'rebalance', 'restart', 'end'] as const).map((method) =>
      expect(driver[method]()).rejects.toMatchObject({
        code: 'RS_CLOSED',
        message: `${method}: the process crashed before the call had ended; after restart, call it again`,
        details: { operation: method },
      }),
    );
    failing.push(expect(driver.advanceTime('1h')).rejects.toMatchObject({ code: 'RS_CLOSED' }));
    await driver.crash();
    await Promise.all([...sent, ...failing]);
    answering = true;
    await driver.restart();
    await driver.flush();
    expect(driver.outputs()).toEqual(['ada', 'bob']);
  });

  test('interrupts the call that is under way in the same way', async () => {
    const driver = TestDriver.of(stuck, { batchSize: 2 });
    await driver.send(names, { value: 'ada' });
    const flushed = expect(driver.flush()).rejects.toMatchObject({
      code: 'RS_CLOSED',
      message: expect.stringMatching(/^flush: the process crashed/),
    });
    const again = driver.crash();
    const twice = expect(driver.crash()).rejects.toMatchObject({ code: 'RS_UNSUPPORTED' });
    await Promise.all([flushed, again, twice]);
  });

  test('is over before a restart that is not awaited', async () => {
    const driver = TestDriver.of(spending);
    void driver.crash();
    void driver.restart();
    await driver.send(orders, order('ada', 101, 1_000));
    expect(driver.outputs('alerts')).toEqual(['ada: 101']);
  });

  test('interrupts run, which goes on with the next record', async () => {
    const more = new Deferred<void>();
    const job = defineJob((env) => {
      env
        .fromAsyncIterable(
          (async function* letters() {
            yield 'a';
            await more.promise;
            yield 'b';
          })(),
        )
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    const running = expect(driver.run()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await settle();
    await driver.crash();
    await running;
    await driver.restart();
    more.resolve();
    await driver.run();
    expect(driver.outputs()).toEqual(['a', 'b']);
  });

  test('closes no functions, whatever they were doing', async () => {
    const calls: string[] = [];
    const job = watched(calls, () => 'go on');
    const driver = TestDriver.of(job, { batchSize: 2 });
    await driver.send(names, { value: 'ada' });
    await driver.crash();
    expect(calls).toEqual(['open', 'open', 'ada']);
    await driver.restart();
    await driver.flush();
    await driver.crash();
    await driver.close();
    expect(calls).toEqual(['open', 'open', 'ada', 'open', 'ada', 'open']);
  });

  test('meanwhile ends a close', async () => {
    const driver = TestDriver.of(stuck);
    const sent = expect(driver.send(names, { value: 'ada' })).rejects.toMatchObject({ code: 'RS_CLOSED' });
    const crashed = expect(driver.crash()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await settle();
    await driver.close();
    await Promise.all([sent, crashed]);
  });
});

describe('rebalance to owners that cannot open their functions', () => {
  test('fails with the reason, and the next call opens them again', async () => {
    const calls: string[] = [];
    let broken = false;
    const job = watched(calls, () => {
      if (broken) throw new Error('no licence');
    });
    const driver = TestDriver.of(job, { topics: { names: 2 } });
    await driver.send(names, { key: 'a', value: 'ada' });
    broken = true;
    await expect(driver.rebalance()).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED' });
    await expect(driver.send(names, { key: 'a', value: 'bob' })).rejects.toThrow('no licence');
    broken = false;
    await driver.send(names, { key: 'a', value: 'cleo' });
    expect(driver.outputs()).toEqual(['ada', 'bob', 'cleo']);
    await driver.close();
    const count = (call: string) => calls.filter((one) => one === call).length;
    expect(count('close')).toBe(count('open'));
  });
});
