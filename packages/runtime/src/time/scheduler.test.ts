import { describe, expect, test } from '@jest/globals';
import { ManualScheduler } from '../test-support/manual-scheduler.ts';
import { longTimer, MAX_DELAY } from './scheduler.ts';

describe('longTimer', () => {
  test.each([0, 5, MAX_DELAY, MAX_DELAY + 1, 3 * MAX_DELAY + 7])(
    'waits %d ms, and calls once',
    async (delay) => {
      const scheduler = new ManualScheduler();
      let calls = 0;
      longTimer(scheduler, delay, () => calls++);
      await scheduler.advance(delay - 1);
      expect(calls).toBe(0);
      await scheduler.advance(1);
      expect(calls).toBe(1);
      expect([scheduler.pending, Math.max(...scheduler.delays) <= MAX_DELAY]).toEqual([0, true]);
    },
  );

  test.each([1, MAX_DELAY + 1])('can be cancelled after %d ms', async (after) => {
    const scheduler = new ManualScheduler();
    const cancel = longTimer(scheduler, 2 * MAX_DELAY, () => {
      throw new Error('called');
    });
    await scheduler.advance(after);
    cancel();
    expect(scheduler.pending).toBe(0);
  });
});
