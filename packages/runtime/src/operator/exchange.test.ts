import { describe, expect, test } from '@jest/globals';
import { partitionOf } from '@rs/core';
import { encodeKey } from '../state/key-encoding.ts';
import { newTask } from '../test-support/new-task.ts';
import { Recorder } from '../test-support/recorder.ts';
import { ExchangeReceiver, KeySender, routeText } from './exchange.ts';

describe('routing', () => {
  test('a text goes where messages with that key go', () => {
    const destinations = Array.from({ length: 7 }, () => new Recorder());
    const sender = new KeySender(destinations);
    for (const key of ['', 'a', 'origin', '日本', '\u{1f680}']) {
      sender.record(key, 1, key);
      expect(destinations[partitionOf(key, 7)]?.values).toContain(key);
    }
    expect(destinations.flatMap(({ values }) => values)).toHaveLength(5);
  });

  test.each([
    [42, '42'],
    [-0.5, '-0.5'],
    [10n ** 20n, '100000000000000000000'],
    [true, 'true'],
  ])('the key %p goes where the text %p goes', (key, text) => {
    expect(routeText(key)).toBe(text);
  });

  test('equal objects have equal routes', () => {
    expect(routeText({ a: 1, b: [2] })).toBe(routeText({ b: [2], a: 1 }));
    expect(routeText({ a: 1 })).toBe(encodeKey({ a: 1 }));
  });

  test('everything about time goes to all', () => {
    const destinations = [new Recorder(), new Recorder()];
    const sender = new KeySender(destinations);
    sender.status(true);
    sender.watermark(5);
    sender.end();
    expect(destinations.map(({ trace }) => trace)).toEqual(Array(2).fill(['idle', 'w5', 'end']));
  });
});

describe('the receiving end', () => {
  const receiver = (senders: number, idleAtFirst = true) => {
    const out = new Recorder();
    const exchange = new ExchangeReceiver(newTask(), out, senders, undefined, idleAtFirst);
    const from = (sender: number) => exchange.inputs[sender] as NonNullable<(typeof exchange.inputs)[number]>;
    return { out, exchange, from };
  };

  test('does not wait for a partition that never sent anything', () => {
    const { out, from } = receiver(3);
    from(0).watermark(5);
    from(0).record('a', 6, 'k');
    expect([out.trace, out.keys]).toEqual([['w5', 'active', 'a@6'], ['k']]); // prettier-ignore
  });

  test('waits for one from its first record on, although that raises no watermark', () => {
    const { out, from } = receiver(2);
    from(1).record('b', 1, 'k');
    from(0).watermark(5);
    expect(out.trace).toEqual(['active', 'b@1']);
    from(1).watermark(3);
    expect(out.trace).toEqual(['active', 'b@1', 'w3']);
  });

  test('waits for one that is known to have something to read', () => {
    const { out, from } = receiver(2);
    from(0).status(false);
    from(1).status(false);
    from(0).watermark(5);
    from(1).watermark(4);
    expect(out.trace.filter((item) => item !== 'active')).toEqual(['w4']);
  });

  test('does not wait for one that has become idle, or has ended', () => {
    const { out, from } = receiver(3);
    for (const sender of [0, 1, 2]) from(sender).watermark(sender);
    from(0).status(true);
    from(1).end();
    expect(out.trace.at(-1)).toBe('w2');
    from(2).end();
    expect(out.trace.at(-1)).not.toBe('end');
    from(0).end();
    expect(out.trace.at(-1)).toBe('end');
  });

  test('waits for all from the beginning where they stand behind an exchange themselves', () => {
    const { out, from } = receiver(2, false);
    from(0).watermark(5);
    expect(out.trace).toEqual([]);
    from(1).watermark(3);
    expect(out.trace).toEqual(['w3']);
  });

  test('goes on after a restart with what it knew', () => {
    const before = receiver(2);
    before.from(0).watermark(5);
    before.from(1).watermark(3);
    const { out, exchange, from } = receiver(2);
    exchange.restore(before.exchange.meta());
    from(0).watermark(9);
    expect(out.trace).toEqual([]);
    from(1).watermark(7);
    expect(out.trace).toEqual(['w7']);
  });
});
