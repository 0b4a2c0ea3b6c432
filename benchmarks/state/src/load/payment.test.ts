import { expect, test } from '@jest/globals';
import { PAYMENT_BYTES, payment, payments } from './payment.ts';

test('payments have keys of 16 bytes, 100 bytes of JSON, and come in the order of their time', () => {
  for (const index of [0, 1, 499_999]) {
    const one = payment(index, 100_000);
    expect(Buffer.byteLength(one.customer)).toBe(16);
    expect(Buffer.byteLength(JSON.stringify(one))).toBe(PAYMENT_BYTES);
    expect(one.at - payment(0, 100_000).at).toBe(index);
  }
});

test('all customers pay about as often', () => {
  const counts = new Map<string, number>();
  for (const { customer } of payments(20_000, 100)) counts.set(customer, (counts.get(customer) ?? 0) + 1);
  expect(counts.size).toBe(100);
  expect(Math.min(...counts.values())).toBeGreaterThan(120);
  expect(Math.max(...counts.values())).toBeLessThan(280);
});
