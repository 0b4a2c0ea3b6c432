import { describe, expect, test } from '@jest/globals';
import type { Order } from './orders.ts';
import { type ChargeOptions, Payments } from './payments.ts';

function order(n: number): Order {
  return {
    id: `CA-${n}`,
    customer: 'c',
    placed: new Date(0),
    items: [{ sku: 's', name: 'n', quantity: 1, cents: n }],
  };
}

async function outcomes(seed: number, attempt: number): Promise<string[]> {
  const payments = new Payments(seed);
  const charge = (n: number, options: ChargeOptions): Promise<string> =>
    payments.charge(order(n), options).then(
      (payment) => (payment.paid ? `paid ${payment.cents}` : 'refused'),
      (error: Error) => error.message,
    );
  return Promise.all(
    Array.from({ length: 2_000 }, (_, n) => charge(n, { attempt, signal: new AbortController().signal })),
  );
}

describe('Payments', () => {
  test('some cards are refused, at any attempt; some orders fail at their first one', async () => {
    const [first, second] = [await outcomes(1, 1), await outcomes(1, 2)];
    const refused = second.flatMap((outcome, n) => (outcome === 'refused' ? [n] : []));
    const failed = first.flatMap((outcome, n) => (outcome.startsWith('the card company') ? [n] : []));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(30);
    expect(failed.length).toBeGreaterThan(10);
    expect(failed.length).toBeLessThan(100);
    first.forEach((outcome, n) => {
      if (!failed.includes(n)) expect(outcome).toBe(second[n]);
    });
    for (const n of failed) expect(second[n]).toBe(`paid ${n}`);
  });

  test('the seed decides which', async () => {
    expect(await outcomes(1, 1)).toEqual(await outcomes(1, 1));
    expect(await outcomes(2, 1)).not.toEqual(await outcomes(1, 1));
  });

  test('gives up when it is told to', async () => {
    const aborted = AbortSignal.abort();
    await expect(new Payments(1).charge(order(1), { attempt: 1, signal: aborted })).rejects.toHaveProperty(
      'name',
      'AbortError',
    );
  });
});
