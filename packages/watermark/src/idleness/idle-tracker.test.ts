import { describe, expect, test } from '@jest/globals';
import type { IdleMode } from '@rs/core';
import { IdleTracker, type IdleDecision } from '../index.ts';

const ACTIVE: IdleDecision = { kind: 'active' };
const IDLE: IdleDecision = { kind: 'idle' };

function raise(watermark: number): IdleDecision {
  return { kind: 'raise', watermark };
}

/** A tracker with a timeout of 1000 that waits for records since time 0. */
function waiting(mode: IdleMode, restoredWatermark?: number): IdleTracker {
  const tracker = new IdleTracker({ timeout: 1000, mode }, restoredWatermark);
  tracker.resume(0);
  return tracker;
}

describe('advance', () => {
  test('after the timeout the watermark follows the clock, the timeout included', () => {
    const tracker = waiting('advance');
    tracker.onRecord(5000, 199);
    expect(tracker.tick(5999)).toEqual(ACTIVE);
    expect(tracker.tick(6000)).toEqual(raise(1199));
    expect(tracker.tick(6001)).toEqual(raise(1200));
    expect(tracker.tick(65_000)).toEqual(raise(60_199));
  });

  test('a record ends it, and the next silence counts from there', () => {
    const tracker = waiting('advance');
    tracker.onRecord(0, 199);
    expect(tracker.tick(2000)).toEqual(raise(2199));
    expect(tracker.onRecord(2000, 5000)).toBe(true);
    expect(tracker.tick(2500)).toEqual(ACTIVE);
    expect(tracker.tick(3500)).toEqual(raise(6500));
  });

  test('a source that turns out to lag is not pushed further ahead of its records', () => {
    const tracker = waiting('advance');
    tracker.onRecord(0, 999);
    expect(tracker.tick(60_000)).toEqual(raise(60_999));
    tracker.onRecord(60_000, 1999);
    expect(tracker.tick(61_000)).toEqual(raise(60_999));
    expect(tracker.tick(120_000)).toEqual(raise(61_999));
  });

  test('before the first record it is idle, unless a watermark was restored', () => {
    expect(waiting('advance').tick(1000)).toEqual(IDLE);
    expect(waiting('advance', 500).tick(1000)).toEqual(raise(1500));
  });

  test.each([-Infinity, Infinity])(
    'with a watermark of %d it is idle: there is nothing to follow',
    (base) => {
      const tracker = waiting('advance');
      tracker.onRecord(0, base);
      expect(tracker.tick(1000)).toEqual(IDLE);
    },
  );

  test('stops at the last timestamp', () => {
    expect(waiting('advance', Number.MAX_SAFE_INTEGER - 1).tick(1000)).toEqual(
      raise(Number.MAX_SAFE_INTEGER),
    );
  });
});

describe('hold', () => {
  test('is idle from the timeout until a record', () => {
    const tracker = waiting('hold');
    expect(tracker.onRecord(100, 199)).toBe(false);
    expect(tracker.tick(1099)).toEqual(ACTIVE);
    expect(tracker.tick(1100)).toEqual(IDLE);
    expect(tracker.tick(9999)).toEqual(IDLE);
    expect(tracker.onRecord(10_000, 300)).toBe(true);
    expect(tracker.onRecord(10_000, 300)).toBe(false);
    expect(tracker.tick(10_000)).toEqual(ACTIVE);
  });

  test('a partition that never had a record is idle after the timeout too', () => {
    const tracker = waiting('hold');
    expect(tracker.tick(1000)).toEqual(IDLE);
    expect(tracker.onRecord(1000, 0)).toBe(true);
  });
});

describe('flush', () => {
  test('jumps to the end of time, and stays there until a record', () => {
    const tracker = waiting('flush');
    tracker.onRecord(0, 199);
    expect(tracker.tick(999)).toEqual(ACTIVE);
    expect(tracker.tick(1000)).toEqual(raise(Infinity));
    expect(tracker.tick(1001)).toEqual(raise(Infinity));
    tracker.onRecord(2000, 299);
    expect(tracker.tick(2000)).toEqual(ACTIVE);
  });

  test('a record at the end of time starts a new epoch, also after a restart or a second attempt', () => {
    const tracker = waiting('flush', Infinity);
    expect(tracker.startsEpoch(Infinity)).toBe(true);
    tracker.onRecord(0, 199);
    expect(tracker.startsEpoch(199)).toBe(false);
    expect(tracker.startsEpoch(Infinity)).toBe(true);
  });

  test.each(['advance', 'hold'] as const)('%s never starts a new epoch', (mode) => {
    expect(waiting(mode).startsEpoch(Infinity)).toBe(false);
  });
});

describe('what counts as quiet time', () => {
  test('nothing before the first resume', () => {
    const tracker = new IdleTracker({ timeout: 1000, mode: 'hold' });
    expect(tracker.tick(1_000_000)).toEqual(ACTIVE);
    tracker.resume(1_000_000);
    expect(tracker.tick(1_000_999)).toEqual(ACTIVE);
    expect(tracker.tick(1_001_000)).toEqual(IDLE);
  });

  test('not the time from suspend to resume', () => {
    const tracker = waiting('advance');
    tracker.onRecord(0, 0);
    tracker.suspend(600);
    expect(tracker.tick(50_000)).toEqual(ACTIVE);
    tracker.resume(60_000);
    expect(tracker.tick(60_399)).toEqual(ACTIVE);
    expect(tracker.tick(60_400)).toEqual(raise(1000));
  });

  test('the watermark stands still while an idle partition is suspended', () => {
    const tracker = waiting('advance');
    tracker.onRecord(0, 0);
    expect(tracker.tick(1500)).toEqual(raise(1500));
    tracker.suspend(2000);
    expect(tracker.tick(9000)).toEqual(raise(2000));
    tracker.resume(9000);
    expect(tracker.tick(9001)).toEqual(raise(2001));
  });

  test('suspend and resume may be repeated', () => {
    const tracker = waiting('advance');
    tracker.onRecord(0, 0);
    tracker.resume(500);
    tracker.suspend(700);
    tracker.suspend(900);
    tracker.resume(1000);
    tracker.resume(1200);
    expect(tracker.tick(1300)).toEqual(raise(1000));
  });

  test('a record while suspended starts it anew', () => {
    const tracker = waiting('hold');
    tracker.suspend(900);
    tracker.onRecord(5000, 0);
    tracker.resume(6000);
    expect(tracker.tick(6999)).toEqual(ACTIVE);
    expect(tracker.tick(7000)).toEqual(IDLE);
  });

  test('a clock that is set back adds nothing, takes nothing away, and does not stop the count', () => {
    const tracker = waiting('advance');
    tracker.onRecord(10_000, 0);
    expect(tracker.tick(11_500)).toEqual(raise(1500));
    expect(tracker.tick(4000)).toEqual(raise(1500));
    expect(tracker.tick(4250)).toEqual(raise(1750));
  });
});

describe('bad settings', () => {
  test.each([0, -1, NaN])('a timeout of %d is refused', (timeout) => {
    expect(() => new IdleTracker({ timeout, mode: 'hold' })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
  });

  test('an unknown mode is refused', () => {
    expect(() => new IdleTracker({ timeout: 1, mode: 'wait' as IdleMode })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });

  test('a restored watermark that is none is refused', () => {
    expect(() => new IdleTracker({ timeout: 1, mode: 'hold' }, NaN)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
    );
  });
});
