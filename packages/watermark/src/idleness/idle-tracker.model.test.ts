import { expect, test } from '@jest/globals';
import type { IdleMode, WatermarkGenerator, WatermarkOutput, WatermarkValue } from '@rs/core';
import fc from 'fast-check';
import { IdleTracker, WatermarkStrategy } from '../index.ts';

/** A partition as an engine drives it: generator, watermark that only rises, idleness. */
class Partition implements WatermarkOutput {
  readonly idle: IdleTracker;
  watermark = -Infinity;
  epochs = 1;
  #generator: WatermarkGenerator<null>;
  #generated = -Infinity;
  readonly #strategy: WatermarkStrategy<null>;

  constructor(outOfOrderness: number, timeout: number, mode: IdleMode) {
    this.#strategy = WatermarkStrategy.forBoundedOutOfOrderness(outOfOrderness);
    this.#generator = this.#strategy.createWatermarkGenerator();
    this.idle = new IdleTracker({ timeout, mode });
    this.idle.resume(0);
  }

  emitWatermark(value: WatermarkValue): void {
    this.#generated = Math.max(this.#generated, Number(value));
    this.watermark = Math.max(this.watermark, this.#generated);
  }
  markIdle(): void {}
  markActive(): void {}

  record(timestamp: number, now: number): void {
    if (this.idle.startsEpoch(this.watermark)) {
      this.epochs += 1;
      this.watermark = -Infinity;
      this.#generated = -Infinity;
      this.#generator = this.#strategy.createWatermarkGenerator();
    }
    this.#generator.onEvent(null, timestamp, this);
    this.#generator.onPeriodicEmit(this);
    this.idle.onRecord(now, this.#generated);
  }

  tick(now: number): void {
    const decision = this.idle.tick(now);
    if (decision.kind === 'raise') this.watermark = Math.max(this.watermark, decision.watermark);
  }
}

const at = fc.integer({ min: 0, max: 3000 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('record' as const), at, watermark: fc.integer({ min: -500, max: 3000 }) }),
  fc.record({ kind: fc.constantFrom('tick' as const, 'suspend' as const, 'resume' as const), at }),
);

test('advance: base + time told to it while waiting, for any order of calls and any clock', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const tracker = new IdleTracker({ timeout: 300, mode: 'advance' });
      let base = -Infinity;
      let waitingSince: number | undefined;
      let quiet = 0;
      let highest = -Infinity;
      for (const call of steps) {
        if (waitingSince !== undefined) {
          quiet += Math.max(0, call.at - waitingSince);
          waitingSince = call.at;
        }
        switch (call.kind) {
          case 'record':
            tracker.onRecord(call.at, call.watermark);
            base = call.watermark;
            quiet = 0;
            break;
          case 'suspend':
            tracker.suspend(call.at);
            waitingSince = undefined;
            break;
          case 'resume':
            tracker.resume(call.at);
            waitingSince = call.at;
            break;
          case 'tick': {
            const decision = tracker.tick(call.at);
            if (quiet < 300) expect(decision).toEqual({ kind: 'active' });
            else if (base === -Infinity) expect(decision).toEqual({ kind: 'idle' });
            else {
              highest = Math.max(highest, base + quiet);
              expect(decision).toEqual({ kind: 'raise', watermark: highest });
            }
          }
        }
      }
    }),
    { numRuns: 1000 },
  );
});

const moments = fc.array(
  fc.record({
    wait: fc.nat(500),
    timestamp: fc.option(fc.integer({ min: -1000, max: 5000 }), { nil: undefined }),
  }),
  { maxLength: 40 },
);

test('advance in a partition: wm = max(wm, maxTs − δ − 1 + (now − lastRecordAt)), never falling', () => {
  fc.assert(
    fc.property(moments, fc.nat(200), fc.integer({ min: 1, max: 400 }), (events, bound, timeout) => {
      const partition = new Partition(bound, timeout, 'advance');
      let now = 0;
      let maxTs = -Infinity;
      let lastRecordAt = 0;
      let expected = -Infinity;
      for (const { wait, timestamp } of events) {
        now += wait;
        if (timestamp === undefined) {
          partition.tick(now);
          const quiet = now - lastRecordAt;
          if (quiet >= timeout) expected = Math.max(expected, maxTs - bound - 1 + quiet);
        } else {
          partition.record(timestamp, now);
          maxTs = Math.max(maxTs, timestamp);
          lastRecordAt = now;
          expected = Math.max(expected, maxTs - bound - 1);
        }
        expect(partition.watermark).toBe(expected);
      }
    }),
    { numRuns: 1000 },
  );
});

test('flush in a partition: falls only at the first record after a flush, to that record', () => {
  fc.assert(
    fc.property(moments, (events) => {
      const partition = new Partition(0, 300, 'flush');
      let now = 0;
      for (const { wait, timestamp } of events) {
        now += wait;
        const { watermark: before, epochs } = partition;
        if (timestamp === undefined) partition.tick(now);
        else partition.record(timestamp, now);
        if (before === Infinity && timestamp !== undefined) {
          expect(partition.epochs).toBe(epochs + 1);
          expect(partition.watermark).toBe(timestamp - 1);
        } else {
          expect(partition.epochs).toBe(epochs);
          expect(partition.watermark).toBeGreaterThanOrEqual(before);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test('C38: with a timeout of 1 s the window of 100 and 200 has passed after 1 s of silence', () => {
  const partition = new Partition(0, 1000, 'advance');
  partition.record(100, 0);
  partition.record(200, 10);
  partition.tick(1009);
  expect(partition.watermark).toBe(199);
  partition.tick(1010);
  expect(partition.watermark).toBeGreaterThanOrEqual(999);
});
