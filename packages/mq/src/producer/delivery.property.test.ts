import { expect, test } from '@jest/globals';
import { isRsError, partitionOf } from '@rs/core';
import fc from 'fast-check';
import type { Fate as CallFate } from '../test-support/model-broker.ts';
import { Producing } from '../test-support/producing.ts';
import { turn } from '../test-support/turn.ts';
import type { NewMessage, Receipt } from './new-message.ts';

type Step =
  | { readonly type: 'send'; readonly messages: readonly NewMessage<number>[]; readonly batch: boolean }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'turn' }
  | { readonly type: 'late' };

const message = fc.record(
  {
    key: fc.constantFrom('a', 'b', 'c', ''),
    partition: fc.constantFrom(0, 1, 2),
    headers: fc.constantFrom({}, { size: 'x'.repeat(60) }),
    value: fc.constant(0),
  },
  { requiredKeys: ['value'] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('send' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 6 }),
      batch: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.constantFrom(1, 30, 200) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'turn' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'late' as const }) },
);
const fate: fc.Arbitrary<CallFate> = fc.constantFrom<CallFate[]>(
  { executed: 'yes' },
  { executed: 'yes' },
  { executed: 'no' },
  { executed: 'late' },
);
/** Executed, but the caller hears nothing. */
const mute = fc.boolean();

interface Sent {
  readonly value: number;
  readonly message: NewMessage<number>;
  outcome: Receipt | 'unknown' | 'notWritten' | undefined;
}

interface Failure {
  readonly fate?: 'unknown' | 'notWritten';
  readonly receipts?: readonly (Receipt | undefined)[];
  readonly failed?: readonly number[];
  readonly errors?: readonly { readonly details: Failure }[];
}

/** Notes how each message ended. */
function follow(sent: readonly Sent[], promise: Promise<Receipt | Receipt[]>): void {
  promise.then(
    (receipts) => {
      for (const [at, one] of sent.entries()) one.outcome = Array.isArray(receipts) ? receipts[at] : receipts;
    },
    (error: unknown) => {
      if (!isRsError(error)) throw error;
      const { fate, receipts = [], failed = [], errors = [] } = error.details as Failure;
      for (const [at, one] of sent.entries()) {
        one.outcome = receipts[at] ?? errors[failed.indexOf(at)]?.details.fate ?? fate;
      }
    },
  );
}

test('whatever is lost: confirmed messages are there once with their ids, rejected ones at most once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.infiniteStream(fc.tuple(fate, mute)),
      fc.constantFrom(1, 2, 5),
      fc.constantFrom(2, 7, 100),
      fc.constantFrom(100, 10_000),
      async (steps, fates, maxBatch, maxPending, maxPendingBytes) => {
        const producing = new Producing({ maxBatch, maxPending, maxPendingBytes, deliveryTimeout: 150 });
        const { producer, broker, timers } = producing;
        producing.create('orders', 3);
        broker.fate = () => {
          const [next, silent] = fates.next().value as [CallFate, boolean];
          const lost = silent && next.executed === 'yes';
          return lost ? { executed: 'yes', error: producing.lost } : next;
        };
        const all: Sent[] = [];
        for (const one of steps) {
          if (one.type === 'pass') await timers.advance(one.ms);
          else if (one.type === 'turn') await turn();
          else if (one.type === 'late') broker.catchUp();
          else {
            const sent = one.messages.map((draft) => {
              const value = all.length;
              const next: Sent = { value, message: { ...draft, value }, outcome: undefined };
              all.push(next);
              return next;
            });
            if (one.batch)
              follow(
                sent,
                producer.sendBatch(
                  'orders',
                  sent.map((each) => each.message),
                ),
              );
            else for (const each of sent) follow([each], producer.send('orders', each.message));
          }
        }
        for (let rest = all.length + 2; rest > 0; rest--) await timers.advance(200);
        broker.catchUp();

        const stored = [0, 1, 2].map(
          (partition) => broker.logs.get(`rs:{orders#${partition}}:p${partition}`) ?? [],
        );
        const places = new Map<number, string[]>();
        stored.forEach((log, partition) => {
          for (const { d, id } of log)
            places.set(Number(d), [...(places.get(Number(d)) ?? []), `${partition} ${id}`]);
        });
        for (const { value, message: one, outcome } of all) {
          const found = places.get(value) ?? [];
          if (outcome === 'unknown') expect(found.length).toBeLessThanOrEqual(1);
          else if (outcome === 'notWritten') expect(found).toEqual([]);
          else {
            expect(found).toEqual([`${outcome?.partition} ${outcome?.id}`]);
            const wanted = one.partition ?? (one.key === undefined ? undefined : partitionOf(one.key, 3));
            if (wanted !== undefined) expect(outcome?.partition).toBe(wanted);
          }
        }
        // Values count up in the order of sending.
        for (const log of stored) {
          const values = log.map(({ d }) => Number(d));
          expect(values).toEqual([...values].sort((a, b) => a - b));
        }
        expect([...places.keys()].every((value) => value < all.length)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
