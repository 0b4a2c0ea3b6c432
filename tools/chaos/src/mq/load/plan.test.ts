import { expect, test } from '@jest/globals';
import { payloadOf } from './payload.ts';
import { planOf } from './plan.ts';

const names = Array.from({ length: 20_000 }, (_, at) => ({
  key: `key-${at % 40}`,
  n: Math.floor(at / 40) + 1,
}));

test('the plan of a message is the same whoever asks, and another with another seed', () => {
  const plans = (seed: number) => names.slice(0, 500).map((name) => planOf(seed, name));
  expect(plans(1)).toEqual(plans(1));
  expect(plans(1)).not.toEqual(plans(2));
});

test('most succeed at once; some fail once or twice, some are dead, some take long', () => {
  const plans = names.map((name) => planOf(1, name));
  const share = (is: (plan: (typeof plans)[0]) => boolean) => plans.filter(is).length / plans.length;
  expect(share(({ failures }) => failures === 1)).toBeCloseTo(0.03, 2);
  expect(share(({ failures }) => failures === 2)).toBeCloseTo(0.01, 2);
  expect(share(({ dead }) => dead)).toBeCloseTo(0.012, 2);
  expect(share(({ takes }) => takes > 100)).toBeCloseTo(0.005, 2);
  expect(share(({ takes }) => takes === 0)).toBeGreaterThan(0.2);
});

test('payloads are bytes that no text would survive, and differ', () => {
  const payloads = names.slice(0, 300).map((name) => payloadOf(1, name));
  expect(payloads.some((payload) => !Buffer.from(payload.toString()).equals(payload))).toBe(true);
  expect(payloads.some((payload) => payload.length > 10_000)).toBe(true);
  expect(payloadOf(1, { key: 'key-1', n: 2 })).not.toEqual(payloadOf(1, { key: 'key-1', n: 1 }));
  expect(payloadOf(1, { key: 'key-1', n: 1 })).toEqual(payloadOf(1, { key: 'key-1', n: 1 }));
});
