import type { NewMessage } from '@rs/runtime-memory';
import type { OrderEvent } from './billing.ts';

/** A message about an order; messages about one order have one key, so they stay in their order. */
export function event(
  what: OrderEvent['what'],
  order: string,
  { customer = 'ada', total = 10, minute = 0 } = {},
): NewMessage<OrderEvent> {
  return { key: order, value: { order, customer, total, what }, timestamp: minute * 60_000 };
}
