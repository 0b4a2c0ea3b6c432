import { now } from '@rs/bench-harness';
import type { Sender } from '../ways/way.ts';
import { order, orders } from './order.ts';

/** When to stop: after so many milliseconds, or so many orders. */
export type Until = { readonly millis: number } | { readonly orders: number };

/** Times are those of {@link now}. */
export interface Sent {
  readonly orders: number;
  readonly startedAt: number;
  /** When the last one was confirmed. */
  readonly endedAt: number;
}

export interface Sending {
  readonly until: Until;
  /** Calls that are unconfirmed at a time. */
  readonly inFlight: number;
}

/** Sends batches of so many orders. */
export function sendBatches(sender: Sender, batch: number, sending: Sending): Promise<Sent> {
  return keepSending(batch, sending, (first, count) => sender.sendBatch(orders(first, count)));
}

/** Sends orders one by one. */
export function sendSingly(sender: Sender, sending: Sending): Promise<Sent> {
  return keepSending(1, sending, (first) => sender.send(order(first)));
}

async function keepSending(
  batch: number,
  { until, inFlight }: Sending,
  send: (first: number, count: number) => Promise<unknown>,
): Promise<Sent> {
  const startedAt = now();
  const most = 'orders' in until ? until.orders : Infinity;
  const endsAt = 'orders' in until ? Infinity : startedAt + until.millis;
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < most && now() < endsAt) {
      const first = next;
      const count = Math.min(batch, most - first);
      next += count;
      await send(first, count);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return { orders: next, startedAt, endedAt: now() };
}

/** Sends single orders at a steady pace. @returns when each was sent, in the time of {@link now} */
export async function sendPaced(sender: Sender, perSecond: number, millis: number): Promise<number[]> {
  const sentAt: number[] = [];
  const sending: Promise<unknown>[] = [];
  const startedAt = now();
  for (let elapsed = 0; elapsed < millis; elapsed = now() - startedAt) {
    const due = Math.floor((elapsed * perSecond) / 1000);
    while (sentAt.length < due) {
      sentAt.push(now());
      sending.push(sender.send(order(sentAt.length - 1)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(sending);
  return sentAt;
}
