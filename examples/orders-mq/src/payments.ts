import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Order, totalOf } from './orders.ts';

export type Payment = { readonly paid: true; readonly cents: number } | { readonly paid: false };

export interface ChargeOptions {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

const LATENCY_MS = 2;
/** Shares of the orders. */
const REFUSED = 0.005;
const FAILS_ONCE = 0.02;

/** Stands for a card company over the network: slow, at times unreachable, and not every card is good. */
export class Payments {
  readonly #seed: number;

  /** @param seed which orders fail; the same in every worker, so that an order fails wherever it is handled */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** @throws Error when the card company does not answer */
  async charge(order: Order, { attempt, signal }: ChargeOptions): Promise<Payment> {
    await delay(LATENCY_MS, undefined, { signal });
    const luck = this.#luckOf(order.id);
    if (luck < REFUSED) return { paid: false };
    if (luck < REFUSED + FAILS_ONCE && attempt === 1) {
      throw new Error(`the card company did not answer for order ${order.id}`);
    }
    return { paid: true, cents: totalOf(order) };
  }

  /** From 0 to below 1. */
  #luckOf(id: string): number {
    return createHash('sha256').update(`${this.#seed}:${id}`).digest().readUInt32BE() / 2 ** 32;
  }
}
