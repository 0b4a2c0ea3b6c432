import { describe, expect, test } from '@jest/globals';
import { orders } from './orders.ts';
import { loadOrders, parseOrders } from './shop-data.ts';

const CSV = `"Order ID","Order Date","Customer ID","Product ID","Product Name","Sales","Quantity"
"B",2016-11-08,"c1","p1","Bookcase, tall",261.96,2
"A",2016-06-12,"c2","p2","Label",14.62,2
"B",2016-11-08,"c1","p3","Chair",731.94,3
`;

describe('parseOrders', () => {
  test('makes one order of its rows, oldest first', () => {
    expect(parseOrders(CSV)).toEqual([
      {
        id: 'A',
        customer: 'c2',
        placed: '2016-06-12',
        items: [{ sku: 'p2', name: 'Label', quantity: 2, cents: 1_462 }],
      },
      {
        id: 'B',
        customer: 'c1',
        placed: '2016-11-08',
        items: [
          { sku: 'p1', name: 'Bookcase, tall', quantity: 2, cents: 26_196 },
          { sku: 'p3', name: 'Chair', quantity: 3, cents: 73_194 },
        ],
      },
    ]);
  });
});

describe('loadOrders', () => {
  test('gives all orders of the shop, as the schema wants them', async () => {
    const all = await loadOrders(5_009);
    expect(all).toHaveLength(5_009);
    for (const order of all) expect(orders.value?.['~standard'].validate(order)).not.toHaveProperty('issues');
    expect(all.reduce((sum, { items }) => sum + items.length, 0)).toBe(9_994);
  });

  test('begins anew beyond that, with other ids', async () => {
    const all = await loadOrders(5_009 * 2 + 1);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.at(5_009)).toEqual({ ...all[0], id: `${all[0]?.id}-2` });
    expect(all.at(-1)?.id).toBe(`${all[0]?.id}-3`);
  });
});
