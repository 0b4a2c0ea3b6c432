import { describe, expect, test } from '@jest/globals';
import { byTime } from '../account-event.ts';
import { RULE_NAMES } from '../rules.ts';
import { generate, MAX_DELAY } from './generate.ts';
import { LOOK_ALIKES } from './scenes.ts';

describe('the events of 300 accounts', () => {
  const { events, frauds, lookAlikes } = generate({ accounts: 300, seed: 1 });

  test('are about 20,000, of all kinds and accounts', () => {
    expect(events.length).toBeGreaterThan(18_000);
    expect(events.length).toBeLessThan(22_000);
    expect(new Set(events.map(({ account }) => account)).size).toBe(300);
    const share = (kind: string): number =>
      events.filter((event) => event.kind === kind).length / events.length;
    expect(share('login')).toBeGreaterThan(0.3);
    expect(share('payment')).toBeGreaterThan(0.4);
    expect(share('password-change')).toBeGreaterThan(0.005);
    expect(share('confirmation')).toBeGreaterThan(0.01);
  });

  test('have ids in the order of time', () => {
    const byId = [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId).toEqual([...events].sort(byTime));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test('arrive out of order, by a few seconds at most', () => {
    let latest = -Infinity;
    const behind = events.flatMap(({ at }) => {
      latest = Math.max(latest, at);
      return at < latest ? [latest - at] : [];
    });
    expect(behind.length).toBeGreaterThan(100);
    expect(Math.max(...behind)).toBeLessThan(MAX_DELAY);
  });

  test('have six frauds for each rule, and six look-alikes of each kind, in accounts of their own', () => {
    for (const rule of RULE_NAMES) expect(frauds.filter((fraud) => fraud.rule === rule)).toHaveLength(6);
    for (const name of Object.keys(LOOK_ALIKES)) {
      expect(lookAlikes.filter((lookAlike) => lookAlike.name === name)).toHaveLength(6);
    }
    const accounts = [...frauds, ...lookAlikes].map(({ account }) => account);
    expect(new Set(accounts).size).toBe(accounts.length);
  });
});

test('the seed decides what happens', () => {
  const options = { accounts: 10, seed: 5 };
  expect(generate(options)).toEqual(generate(options));
  expect(generate({ ...options, seed: 6 })).not.toEqual(generate(options));
});

test('one account has all scenes', () => {
  const { frauds, lookAlikes } = generate({ accounts: 1, seed: 1 });
  expect(frauds).toHaveLength(RULE_NAMES.length);
  expect(lookAlikes).toHaveLength(Object.keys(LOOK_ALIKES).length);
});
