import { expect, test } from '@jest/globals';
import { indexOf, order, ORDER_BYTES, orders } from './order.ts';

test.each([0, 1, 999, 90_000, 1_234_567, 8_999_999])('order %i is as long as all others', (index) => {
  expect(Buffer.byteLength(JSON.stringify(order(index)))).toBe(ORDER_BYTES);
  expect(indexOf(order(index))).toBe(index);
});

test('there is no order beyond what the id can count', () => {
  expect(() => order(9_000_000)).toThrow(RangeError);
});

test('several orders follow on each other', () => {
  expect(orders(5, 3).map(indexOf)).toEqual([5, 6, 7]);
});
