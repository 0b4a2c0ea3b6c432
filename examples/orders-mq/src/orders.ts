import { topic } from '@rs/mq';
import { z } from 'zod';

const item = z.object({
  sku: z.string(),
  name: z.string(),
  quantity: z.int().positive(),
  /** What all of it costs. */
  cents: z.int().nonnegative(),
});

/** An order as it is sent; `z.infer` is what a handler gets, with `placed` as a `Date`. */
const order = z.object({
  id: z.string().min(1),
  customer: z.string().min(1),
  placed: z.iso.date().transform((day) => new Date(day)),
  items: z.array(item).min(1),
});

export type NewOrder = z.input<typeof order>;
export type Order = z.infer<typeof order>;

/** The producer's values are checked when they are sent, the workers' when they are read. */
export const orders = topic('orders', { value: order });

export function totalOf({ items }: Pick<Order, 'items'>): number {
  return items.reduce((sum, { cents }) => sum + cents, 0);
}
