import { describe, expect, test } from '@jest/globals';
import { FakeTimers } from '../test-support/fake-timers.ts';
import { Pace } from './pace.ts';

describe('Pace', () => {
  test.each([
    [undefined, 200],
    [10_000, 200],
    [50, 5],
    [11, 2],
    [0.5, 1],
  ])('a rate of %p is done in portions of %p', (rate, portion) => {
    expect(new Pace(new FakeTimers(), rate).portion).toBe(portion);
  });

  test('never more than the rate, also after a portion that took long', async () => {
    const timers = new FakeTimers();
    const startedAt = timers.monotonic();
    const pace = new Pace(timers, 50);
    const done: number[] = [];
    const work = async (): Promise<void> => {
      for (let portion = 0; portion < 8; portion++) {
        await pace.wait(pace.portion, undefined);
        done.push(timers.monotonic() - startedAt);
        if (portion === 3) await new Promise<void>((resolve) => timers.after(1_000, resolve));
      }
    };
    const working = work();
    for (let at = 0; at < 20; at++) await timers.advance(100);
    await working;
    expect(done).toEqual([0, 100, 200, 300, 1_300, 1_400, 1_500, 1_600]);
  });

  test('without a rate it never waits', async () => {
    await expect(new Pace(new FakeTimers(), undefined).wait(1e9, undefined)).resolves.toBeUndefined();
  });

  test('a signal ends the waiting, and no timer stays behind', async () => {
    const timers = new FakeTimers();
    const pace = new Pace(timers, 1);
    const controller = new AbortController();
    await pace.wait(5, controller.signal);
    const waiting = pace.wait(5, controller.signal);
    expect(timers.time.planned).toBe(1);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(timers.time.planned).toBe(0);
    await expect(pace.wait(1, controller.signal)).rejects.toThrow('enough');
  });
});
