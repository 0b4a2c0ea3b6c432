import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { TestDriver, type TestDriverOptions } from '@rs/runtime-memory/testing';
import { billing, deadline, orders, tooLate } from './billing.ts';
import { event } from './event.ts';

const drivers: TestDriver[] = [];

function start(options?: TestDriverOptions): TestDriver {
  const driver = TestDriver.of(billing, options);
  drivers.push(driver);
  return driver;
}

afterEach(async () => {
  for (const driver of drivers.splice(0)) await driver.close();
});

test('an hour has its revenue when it is over, and a payment after that is told apart', async () => {
  const driver = start();

  await driver.send(orders, [
    event('paid', '1', { total: 10, minute: 5 }),
    event('paid', '2', { total: 20, minute: 59 }),
    event('paid', '3', { total: 40, minute: 61 }), // The first hour is over.
    event('paid', '4', { total: 80, minute: 58 }), // Too late for it.
  ]);

  assert.deepEqual(driver.outputs('revenue-out'), [{ customer: 'ada', hour: 0, revenue: 30 }]);
  assert.deepEqual(
    driver.sideOutput('revenue', tooLate).map(({ order }) => order),
    ['4'],
  );
  assert.deepEqual(driver.lateRecords(), { revenue: 1 });

  await driver.advanceWatermark(2 * 3_600_000); // The second hour is over as well, without a further message.

  assert.deepEqual(driver.outputs('revenue-out').at(-1), { customer: 'ada', hour: 1, revenue: 40 });
});

test('an order that is not paid within half an hour is remembered', async () => {
  const driver = start();
  await driver.send(orders, [event('placed', 'forgotten'), event('placed', 'paid')]);
  await driver.advanceTime('29m');
  await driver.send(orders, event('paid', 'paid', { minute: 29 }));
  assert.deepEqual(driver.timers('remind'), [
    { uid: 'remind', kind: 'processing', key: 'forgotten', time: 30 * 60_000 },
  ]);

  await driver.advanceTime('1m');

  assert.deepEqual(driver.outputs('reminders'), ['order forgotten is not paid']);
  assert.deepEqual(await driver.state('remind', deadline, 'forgotten'), undefined);
});

test('a crash in the middle neither loses nor doubles a payment', async () => {
  const driver = start({ batchSize: 3 });
  await driver.send(orders, [event('paid', '1'), event('paid', '2')]); // They wait for a third one.

  await driver.crash(); // Both were processed, neither was committed.
  await driver.send(orders, event('paid', '3'));
  await driver.restart();
  await driver.end();

  assert.deepEqual(driver.outputs('revenue-out'), [{ customer: 'ada', hour: 0, revenue: 30 }]);
});

test('the revenue of a customer is one number, whatever partitions the orders are in', async () => {
  const driver = start({ topics: { orders: 4 } });
  for (let order = 0; order < 20; order++)
    await driver.send(orders, event('paid', String(order), { minute: order }));

  await driver.rebalance(); // Other processes take over.
  await driver.end();

  assert.deepEqual(driver.outputs('revenue-out'), [{ customer: 'ada', hour: 0, revenue: 200 }]);
});
