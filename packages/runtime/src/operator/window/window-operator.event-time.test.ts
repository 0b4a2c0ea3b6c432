import { describe, expect, test } from '@jest/globals';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { JobRun } from '../../test-support/job-run.ts';
import type { TimestampsOperator } from '../timestamps.ts';

/** Counts per second of records that are their own event time, out-of-orderness 0. */
function counts(strategy = WatermarkStrategy.forBoundedOutOfOrderness<number>(0)) {
  return new JobRun<number>((input) =>
    input
      .assignTimestampsAndWatermarks(strategy.withTimestampAssigner((time: number) => time))
      .keyBy(() => 'k')
      .window(TumblingWindow.of(1000))
      .count(),
  );
}

describe('from timestamps to windows', () => {
  test('two records with the newest timestamp are both on time', () => {
    const run = counts();
    run.feed([999, 0], [999, 0], [2500, 0]);
    expect(run.output().records).toEqual([[2, 999]]);
    expect(run.late).toEqual([]);
  });

  test('a window fires with the record that ends it, one at its end exactly', () => {
    const run = counts();
    run.feed([0, 0], [999, 0]);
    expect(run.output().records).toEqual([]);
    run.feed([1000, 0]);
    expect(run.output().records).toEqual([[2, 999]]);
  });

  test('a bad timestamp moves neither time nor windows', () => {
    const run = counts();
    run.feed([1000, 0]);
    for (const bad of [NaN, Infinity, 1.5]) {
      expect(errorOf(() => run.feed([bad, 0])).code).toBe('RS_INVALID_TIMESTAMP');
      run.task.rewind(); // As an engine does that goes on with the next record.
    }
    run.feed([2500, 0]);
    expect(run.output().trace).toEqual(['w999', '1@1999', 'w2499']);
  });
});

describe('an input that stops', () => {
  /** The driver waits for the source for `quiet` ms. */
  function wait(run: JobRun<number>, quiet: number): void {
    const operator = run.operator('timestamps').instance as TimestampsOperator<number>;
    operator.setWaiting(true, run.clock.time);
    run.clock.time += quiet;
    operator.checkIdle(run.clock.time);
    operator.setWaiting(false, run.clock.time);
  }

  test('keeps its last window open without idleness, and loses nothing', () => {
    const run = counts();
    run.feed([100, 0], [200, 0]);
    wait(run, 5000);
    expect(run.output().records).toEqual([]);
    run.feed([2500, 0]);
    expect(run.output().records).toEqual([[2, 999]]);
  });

  test.each(['advance', 'flush'] as const)('closes it once after the idle timeout: %s', (mode) => {
    const run = counts(WatermarkStrategy.forBoundedOutOfOrderness<number>(0).withIdleness(1000, { mode }));
    run.feed([100, 0], [200, 0]);
    wait(run, 999);
    expect(run.output().records).toEqual([]);
    wait(run, 1);
    wait(run, 3000);
    run.end();
    expect(run.output().records).toEqual([[2, 999]]);
    expect(run.leftovers()).toEqual([]);
  });

  test('that was flushed starts anew: a window may open again with the new records alone', () => {
    const run = counts(
      WatermarkStrategy.forBoundedOutOfOrderness<number>(0).withIdleness(1000, { mode: 'flush' }),
    );
    run.feed([100, 0]);
    wait(run, 1000);
    run.feed([150, 0], [160, 0]).end();
    expect(run.output().records).toEqual([[1, 999], [2, 999]]); // prettier-ignore
    expect(run.late).toEqual([]);
  });

  test('of a bounded run closes it at its end', () => {
    expect(counts().feed([100, 0], [200, 0]).end().output().records).toEqual([[2, 999]]);
  });
});
