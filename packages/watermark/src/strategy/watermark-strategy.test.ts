import { describe, expect, test } from '@jest/globals';
import type { IdleMode, WatermarkGenerator } from '@rs/core';
import {
  AscendingTimestampWatermarkGenerator,
  BoundedOutOfOrdernessWatermarkGenerator,
  WatermarkStrategy,
} from '../index.ts';

interface Order {
  readonly at: number;
}

/** For values that only plain JavaScript can pass. */
function untyped<T>(value: unknown): T {
  return value as T;
}

function error(code: string): unknown {
  return expect.objectContaining({ code });
}

describe('generators of a strategy', () => {
  test('each factory makes its kind', () => {
    expect(WatermarkStrategy.forMonotonousTimestamps().createWatermarkGenerator()).toBeInstanceOf(
      AscendingTimestampWatermarkGenerator,
    );
    const bounded = WatermarkStrategy.forBoundedOutOfOrderness('5s').createWatermarkGenerator();
    expect(bounded).toBeInstanceOf(BoundedOutOfOrdernessWatermarkGenerator);
    expect(bounded).toHaveProperty('getMaxOutOfOrdernessMillis');
    expect(
      untyped<BoundedOutOfOrdernessWatermarkGenerator<unknown>>(bounded).getMaxOutOfOrdernessMillis(),
    ).toBe(5000);
  });

  test.each([
    ['monotonous', WatermarkStrategy.forMonotonousTimestamps<Order>()],
    ['bounded', WatermarkStrategy.forBoundedOutOfOrderness<Order>(5)],
    ['none', WatermarkStrategy.noWatermarks<Order>()],
    [
      'custom',
      WatermarkStrategy.forGenerator<Order>(() => new AscendingTimestampWatermarkGenerator<Order>()),
    ],
  ])('%s: a new one in each call, also through derived strategies', (_name, strategy) => {
    const derived = strategy.withTimestampAssigner((order) => order.at).withIdleness('1m');
    const made = [strategy, strategy, derived, derived].map((s) => s.createWatermarkGenerator());
    expect(new Set(made).size).toBe(4);
  });

  test('a negative bound is refused when the strategy is made', () => {
    expect(() => WatermarkStrategy.forBoundedOutOfOrderness(-1)).toThrow(error('RS_INVALID_DURATION'));
  });

  test('a factory that returns a generator again is refused', () => {
    const shared = new AscendingTimestampWatermarkGenerator<Order>();
    const other = new AscendingTimestampWatermarkGenerator<Order>();
    const queue = [shared, other, shared];
    const strategy = WatermarkStrategy.forGenerator(() => queue.shift() ?? shared);
    strategy.createWatermarkGenerator();
    strategy.createWatermarkGenerator();
    expect(() => strategy.createWatermarkGenerator()).toThrow(error('RS_GENERATOR_REUSED'));
  });

  test('a derived strategy knows what the first has handed out', () => {
    const shared = new AscendingTimestampWatermarkGenerator<Order>();
    const strategy = WatermarkStrategy.forGenerator(() => shared);
    const derived = strategy.withTimestampAssigner((order) => order.at);
    strategy.createWatermarkGenerator();
    expect(() => derived.createWatermarkGenerator()).toThrow(error('RS_GENERATOR_REUSED'));
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a promise', Promise.resolve(new AscendingTimestampWatermarkGenerator())],
    ['an object without onPeriodicEmit', { onEvent: () => undefined }],
    ['a class', AscendingTimestampWatermarkGenerator],
  ])('a factory that returns %s is refused', (_name, made) => {
    const strategy = WatermarkStrategy.forGenerator(() => untyped<WatermarkGenerator<Order>>(made));
    expect(() => strategy.createWatermarkGenerator()).toThrow(error('RS_INVALID_ARGUMENT'));
  });

  test.each([
    ['nothing', undefined],
    ['a generator', new AscendingTimestampWatermarkGenerator()],
  ])('%s in place of a factory is refused at once', (_name, factory) => {
    expect(() => WatermarkStrategy.forGenerator(untyped<() => WatermarkGenerator<Order>>(factory))).toThrow(
      error('RS_INVALID_ARGUMENT'),
    );
  });

  test('an error of the factory comes through as it is', () => {
    const failure = new Error('no config');
    const strategy = WatermarkStrategy.forGenerator<Order>(() => {
      throw failure;
    });
    expect(() => strategy.createWatermarkGenerator()).toThrow(failure);
  });
});

describe('timestamps of a strategy', () => {
  const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Order>(0);

  test('without an assigner the record keeps its timestamp', () => {
    expect(strategy.getTimestampAssigner()).toBeUndefined();
    expect(strategy.extractTimestamp({ at: 7 }, 1000)).toBe(1000);
  });

  test('the assigner gets the record and the timestamp so far', () => {
    const assigner = (order: Order, recordTimestamp: number) => order.at + recordTimestamp;
    const assigned = strategy.withTimestampAssigner(assigner);
    expect(assigned.getTimestampAssigner()).toBe(assigner);
    expect(assigned.extractTimestamp({ at: 7 }, 1000)).toBe(1007);
  });

  test('an assigned -0 becomes 0', () => {
    const assigned = strategy.withTimestampAssigner((order) => order.at);
    expect(Object.is(assigned.extractTimestamp({ at: -0 }, 1), 0)).toBe(true);
  });

  test.each([
    ['NaN', NaN],
    ['undefined', undefined],
    ['a string', '1500'],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['a fraction', 1500.5],
    ['null', null],
    ['a Date', new Date(1500)],
    ['a bigint', 1500n],
    ['a promise', Promise.resolve(1500)],
  ])('C42: %s from the assigner fails the record', (_name, assigned) => {
    const bad = strategy.withTimestampAssigner((order) =>
      order.at === 2500 ? 2500 : untyped<number>(assigned),
    );
    expect(() => bad.extractTimestamp({ at: 0 }, 1000)).toThrow(error('RS_INVALID_TIMESTAMP'));
    expect(bad.extractTimestamp({ at: 2500 }, 1000)).toBe(2500);
  });

  test('an async assigner that rejects fails the record, and nothing else', async () => {
    const rejecting = async (): Promise<number> => {
      throw new Error('no such order');
    };
    const bad = strategy.withTimestampAssigner(untyped<() => number>(rejecting));
    expect(() => bad.extractTimestamp({ at: 0 }, 1000)).toThrow(error('RS_INVALID_TIMESTAMP'));
    // Jest fails a test during which a rejection stays unhandled until the event loop turns.
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('an error of the assigner comes through as it is', () => {
    const failure = new TypeError('no field at');
    const bad = strategy.withTimestampAssigner(() => {
      throw failure;
    });
    expect(() => bad.extractTimestamp({ at: 0 }, 1000)).toThrow(failure);
  });

  test('an assigner that is no function is refused', () => {
    expect(() => strategy.withTimestampAssigner(untyped<() => number>('at'))).toThrow(
      error('RS_INVALID_ARGUMENT'),
    );
  });
});

describe('idleness of a strategy', () => {
  const strategy = WatermarkStrategy.forMonotonousTimestamps<Order>();

  test('is off by default', () => {
    expect(strategy.idleness).toBeUndefined();
  });

  test('advances unless told otherwise', () => {
    expect(strategy.withIdleness('1m').idleness).toEqual({ timeout: 60_000, mode: 'advance' });
    expect(strategy.withIdleness(50, {}).idleness).toEqual({ timeout: 50, mode: 'advance' });
  });

  test.each(['advance', 'hold', 'flush'] as const)('mode %s', (mode) => {
    expect(strategy.withIdleness('2s', { mode }).idleness).toEqual({ timeout: 2000, mode });
  });

  test.each([0, -1, NaN, 0.5])('a timeout of %d is refused', (timeout) => {
    expect(() => strategy.withIdleness(timeout)).toThrow(error('RS_INVALID_DURATION'));
  });

  test.each([
    ["'wait'", 'wait'],
    ['null', null],
    ['a number', 1],
  ])('mode %s is refused', (_name, mode) => {
    expect(() => strategy.withIdleness('1m', { mode: untyped<IdleMode>(mode) })).toThrow(
      error('RS_INVALID_ARGUMENT'),
    );
  });
});

describe('a strategy is immutable', () => {
  test('what is derived keeps the rest, the first stays as it was', () => {
    const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Order>(100);
    const assigned = strategy.withTimestampAssigner((order) => order.at);
    const idle = assigned.withIdleness('1m', { mode: 'hold' });
    const reassigned = idle.withTimestampAssigner((order) => order.at * 1000);

    expect(strategy.getTimestampAssigner()).toBeUndefined();
    expect(assigned.idleness).toBeUndefined();
    expect(idle.extractTimestamp({ at: 7 }, 0)).toBe(7);
    expect(reassigned.extractTimestamp({ at: 7 }, 0)).toBe(7000);
    expect(reassigned.idleness).toEqual({ timeout: 60_000, mode: 'hold' });
    expect(idle.extractTimestamp({ at: 7 }, 0)).toBe(7);
    expect(Object.isFrozen(strategy)).toBe(true);
    expect(Object.isFrozen(idle.idleness)).toBe(true);
  });
});
