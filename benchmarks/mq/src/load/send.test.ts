import { expect, test } from '@jest/globals';
import type { Sender } from '../ways/way.ts';
import { indexOf, type Order } from './order.ts';
import { sendBatches, sendPaced, sendSingly } from './send.ts';

/** Notes what is sent, and how many calls are unconfirmed at a time. */
class FakeSender implements Sender {
  readonly batches: number[][] = [];
  most = 0;
  #unconfirmed = 0;

  sendBatch(orders: readonly Order[]): Promise<void> {
    return this.#note(orders);
  }

  send(order: Order): Promise<void> {
    return this.#note([order]);
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  async #note(orders: readonly Order[]): Promise<void> {
    this.batches.push(orders.map(indexOf));
    this.most = Math.max(this.most, ++this.#unconfirmed);
    await new Promise((resolve) => setImmediate(resolve));
    this.#unconfirmed--;
  }
}

test('batches, in order, with so many under way', async () => {
  const sender = new FakeSender();
  const sent = await sendBatches(sender, 4, { until: { orders: 18 }, inFlight: 2 });
  expect(sender.batches.map(({ length }) => length)).toEqual([4, 4, 4, 4, 2]);
  expect(sender.batches.flat()).toEqual(Array.from({ length: 18 }, (_, index) => index));
  expect(sender.most).toBe(2);
  expect(sent.orders).toBe(18);
  expect(sent.endedAt).toBeGreaterThan(sent.startedAt);
});

test('single orders, with so many under way', async () => {
  const sender = new FakeSender();
  await sendSingly(sender, { until: { orders: 9 }, inFlight: 5 });
  expect(sender.batches).toEqual(Array.from({ length: 9 }, (_, index) => [index]));
  expect(sender.most).toBe(5);
});

test('for a time', async () => {
  const sender = new FakeSender();
  const { orders, startedAt, endedAt } = await sendBatches(sender, 2, {
    until: { millis: 5 },
    inFlight: 3,
  });
  expect(orders).toBe(sender.batches.flat().length);
  expect(endedAt - startedAt).toBeGreaterThanOrEqual(5);
});

test('at a pace', async () => {
  const sender = new FakeSender();
  const sentAt = await sendPaced(sender, 1_000, 20);
  expect(sender.batches).toEqual(sentAt.map((_, index) => [index]));
  expect(sentAt.length).toBeGreaterThan(0);
  expect(sentAt.length).toBeLessThanOrEqual(1_000);
});
