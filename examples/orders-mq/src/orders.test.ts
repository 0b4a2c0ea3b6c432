import { describe, expect, test } from '@jest/globals';
import { type NewOrder, orders, totalOf } from './orders.ts';

const sent: NewOrder = {
  id: 'CA-1',
  customer: 'CG-12520',
  placed: '2016-11-08',
  items: [
    { sku: 'a', name: 'Bookcase', quantity: 2, cents: 26_196 },
    { sku: 'b', name: 'Chair', quantity: 1, cents: 4 },
  ],
};

describe('orders', () => {
  test('a handler gets the day as a Date', () => {
    expect(orders.value?.['~standard'].validate(sent)).toEqual({
      value: { ...sent, placed: new Date('2016-11-08') },
    });
  });

  test.each<[string, object]>([
    ['items', { items: [] }],
    ['placed', { placed: '08.11.2016' }],
    ['customer', { customer: undefined }],
    ['items', { items: [{ sku: 'a', name: 'Bookcase', quantity: 2, price: '$261.96' }] }],
  ])('%s as it should not be is refused: %j', async (field, change) => {
    const result = await orders.value?.['~standard'].validate({ ...sent, ...change });
    expect(result?.issues?.[0]?.path?.[0]).toBe(field);
  });

  test('totalOf adds up the items', () => {
    expect(totalOf(sent)).toBe(26_200);
  });
});
