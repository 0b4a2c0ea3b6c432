import { describe, expect, test } from '@jest/globals';
import type { WatermarkGenerator, WatermarkOutput } from '@rs/core';
import { AscendingTimestampWatermarkGenerator, WatermarkStrategy } from '@rs/watermark';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import type { TimestampsOperator } from './timestamps.ts';

const untyped = (value: unknown) => value as never;

/** Calls `onEvent` with each record as a function. */
const scripted = (): WatermarkGenerator<(output: WatermarkOutput) => void> => ({
  onEvent: (step, _timestamp, output) => step(output),
  onPeriodicEmit: () => undefined,
});

function scriptedRun() {
  return new JobRun<(output: WatermarkOutput) => void>((input) =>
    input.assignTimestampsAndWatermarks(scripted).map(() => 'r'),
  );
}

describe('watermarks', () => {
  test('come before the record that raised them, one below the newest timestamp', () => {
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness<number>(0).withTimestampAssigner((time: number) => time),
      ),
    );
    run.feed([999, 0], [999, 1], [2500, 2], [1000, 3]);
    expect(run.end().output().trace).toEqual([
      'w998',
      '999@999',
      '999@999',
      'w2499',
      '2500@2500',
      '1000@1000',
      'end',
    ]);
  });

  test('with 5000 of out-of-orderness are at 3000 - 5000 - 1', () => {
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness<number>(5000)),
    );
    run.feed([0, 1000], [0, 2000], [0, 3000]);
    expect(run.output().trace).toEqual(['w-4001', '0@1000', 'w-3001', '0@2000', 'w-2001', '0@3000']);
  });

  test('only rise: a generator that emits 100, 50, 100, 200', () => {
    const run = scriptedRun();
    for (const watermark of [100, 50, 100, 200]) run.feed([(output) => output.emitWatermark(watermark), 0]);
    expect(run.output().trace).toEqual(['w100', 'r@0', 'r@0', 'r@0', 'w200', 'r@0']);
  });

  test('a generator that never emits leaves time at its beginning', () => {
    const run = new JobRun<number>((input) =>
      input
        .assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks<number>())
        .keyBy(() => 'k')
        .process<number>((_key, _value, ctx, out) => out.collect(ctx.currentWatermark())),
    );
    for (let i = 0; i < 5; i++) run.feed([i, 1e12 + i]);
    expect(run.output().values).toEqual(Array(5).fill(-Infinity));
  });

  test('replace those from upstream; idleness passes', () => {
    const run = scriptedRun();
    run.watermark(1e12);
    run.input(0).status(true);
    run.feed([(output) => output.emitWatermark(5), 10]);
    expect(run.output().trace).toEqual(['idle', 'active', 'w5', 'r@10']);
  });

  test('may be objects, and the ends of time', () => {
    const run = scriptedRun();
    run.feed(
      [(output) => output.emitWatermark({ timestamp: 5 }), 0],
      [(output) => output.emitWatermark(Infinity), 0],
    );
    expect(run.output().trace).toEqual(['w5', 'r@0', 'wInfinity', 'r@0']);
    const early = scriptedRun();
    early.feed([(output) => output.emitWatermark(-Infinity), 0]);
    expect(early.output().trace).toEqual(['r@0']);
  });

  test.each([[NaN], [1.5], ['10'], [new Date(0)], [{ timestamp: NaN }]])('%p is refused', (bad) => {
    const run = scriptedRun();
    const feed = () => run.feed([(output) => output.emitWatermark(untyped(bad)), 0]);
    expect(errorOf(feed).code).toBe('RS_INVALID_TIMESTAMP');
    expect(run.output().trace).toEqual([]);
  });

  test('a generator that throws fails the run', () => {
    const run = scriptedRun();
    const failing = () => {
      throw new Error('boom');
    };
    expect(errorOf(() => run.feed([failing, 0])).message).toBe('timestamps failed: boom');
  });
});

describe('assigned timestamps', () => {
  test.each([[NaN], [undefined], ['1500'], [Infinity], [null], [1.5], [2 ** 53], [new Date(0)], [1500n]])(
    '%p fails its record, and moves neither time nor records',
    (bad) => {
      const run = new JobRun<number>((input) =>
        input.assignTimestampsAndWatermarks(
          (value: number) => (value < 0 ? untyped(bad) : value),
          () => new AscendingTimestampWatermarkGenerator<number>(),
        ),
      );
      run.feed([1000, 1.7e12]);
      const error = errorOf(() => run.feed([-1, 1.7e12]));
      expect([error.code, error.message]).toEqual([
        'RS_INVALID_TIMESTAMP',
        expect.stringMatching(/^timestamps: a timestamp must be/),
      ]);
      expect(run.output().trace).toEqual(['w999', '1000@1000']);
      run.task.rewind(); // As an engine does that goes on with the next record.
      run.feed([2500, 1.7e12]);
      expect(run.output().trace).toEqual(['w999', '1000@1000', 'w2499', '2500@2500']);
    },
  );

  test('the assigner sees the time the record carries, and alone decides on event time', () => {
    const seen: number[] = [];
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(
        (value: number, timestamp: number) => {
          seen.push(timestamp);
          return value;
        },
        () => new AscendingTimestampWatermarkGenerator<number>(),
      ),
    );
    run.feed([1000, 1.7e12], [1500, 1.7e12], [2500, 1.7e12]);
    expect(seen).toEqual([1.7e12, 1.7e12, 1.7e12]);
    expect(run.output().trace).toEqual(['w999', '1000@1000', 'w1499', '1500@1500', 'w2499', '2500@2500']);
  });
});

describe('a generator’s idleness', () => {
  test('is passed on when it changes, and ends with the next watermark', () => {
    const run = scriptedRun();
    run.feed(
      [(output) => output.markIdle(), 0],
      [(output) => output.markIdle(), 0],
      [(output) => output.emitWatermark(5), 0],
      [(output) => output.markIdle(), 0],
      [(output) => output.markActive(), 0],
    );
    expect(run.output().trace).toEqual([
      'idle',
      'r@0',
      'r@0',
      'active',
      'w5',
      'r@0',
      'idle',
      'r@0',
      'active',
      'r@0',
    ]);
  });
});

describe('a quiet source', () => {
  /** Out-of-orderness 0, idle after 1000 ms. */
  function quiet(
    mode: 'advance' | 'hold' | 'flush',
    strategy = WatermarkStrategy.forBoundedOutOfOrderness<number>(0),
  ) {
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(
        strategy.withIdleness(1000, { mode }).withTimestampAssigner((time: number) => time),
      ),
    );
    const { instance } = run.operator('timestamps');
    const operator = instance as TimestampsOperator<number>;
    return {
      run,
      operator,
      feed: (time: number) => run.feed([time, 0]),
      /** The driver waits for the source until `now`. */
      wait(now: number) {
        operator.setWaiting(true, run.clock.time);
        run.clock.time = now;
        operator.checkIdle(now);
        operator.setWaiting(false, now);
      },
      trace: () => run.output().trace.splice(0),
    };
  }

  test('is not idle before its timeout, nor when nobody waits for it', () => {
    const { run, operator, feed, wait, trace } = quiet('hold');
    feed(100);
    wait(999);
    run.clock.time = 5000; // Busy elsewhere: this is no silence of the source.
    operator.checkIdle(5000);
    expect(trace()).toEqual(['w99', '100@100']);
    expect(operator.idleTimeout).toBe(1000);
  });

  test('hold: says so once, and the next record ends it', () => {
    const { feed, wait, trace } = quiet('hold');
    feed(100);
    wait(1000);
    wait(3000);
    expect(trace()).toEqual(['w99', '100@100', 'idle']);
    feed(50); // It raises no watermark, and counts all the same.
    expect(trace()).toEqual(['active', '50@50']);
    wait(4000);
    feed(200);
    expect(trace()).toEqual(['idle', 'active', 'w199', '200@200']);
  });

  test('advance: the watermark follows the clock from where the record left it', () => {
    const { feed, wait, trace } = quiet('advance');
    feed(100);
    wait(999);
    wait(1000);
    wait(1500);
    wait(1500);
    expect(trace()).toEqual(['w99', '100@100', 'w1099', 'w1599']);
    feed(1000); // Late now, but what it says of the source counts for the next silence.
    expect(trace()).toEqual(['1000@1000']);
    wait(2600);
    expect(trace()).toEqual(['w2099']);
    feed(9000);
    expect(trace()).toEqual(['w8999', '9000@9000']);
  });

  test('advance: without a watermark there is nothing to follow, so it only counts as idle', () => {
    const { feed, wait, trace } = quiet('advance');
    wait(1000);
    expect(trace()).toEqual(['idle']);
    feed(100);
    expect(trace()).toEqual(['active', 'w99', '100@100']);
  });

  test('flush: time jumps to its end, and the next record starts anew', () => {
    const { feed, wait, trace } = quiet('flush');
    feed(5000);
    wait(1000);
    wait(2500);
    expect(trace()).toEqual(['w4999', '5000@5000', 'wInfinity']);
    feed(100);
    feed(90);
    expect(trace()).toEqual(['w-Infinity', 'w99', '100@100', '90@90']);
    wait(4000);
    feed(300);
    expect(trace()).toEqual(['wInfinity', 'w-Infinity', 'w299', '300@300']);
  });

  test('flush: records of a new epoch are not late though the generator has not emitted yet', () => {
    const { feed, wait, trace } = quiet('flush', WatermarkStrategy.noWatermarks<number>());
    feed(5000);
    wait(1000);
    feed(100);
    expect(trace()).toEqual(['5000@5000', 'wInfinity', 'w-Infinity', '100@100']);
  });

  test('once the input has ended, silence means nothing any more', () => {
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(
        WatermarkStrategy.forMonotonousTimestamps<number>().withIdleness(1000, { mode: 'advance' }),
      ),
    );
    const operator = run.operator('timestamps').instance as TimestampsOperator<number>;
    run.feed([1, 100]).end();
    operator.setWaiting(true, 0);
    operator.checkIdle(1e6);
    operator.advance(1e9);
    expect(run.output().trace).toEqual(['w99', '1@100', 'end']);
  });

  test('without idleness nothing ever happens', () => {
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps<number>()),
    );
    const { instance } = run.operator('timestamps');
    const operator = instance as TimestampsOperator<number>;
    run.feed([1, 100]);
    operator.setWaiting(true, 0);
    operator.checkIdle(1e12);
    expect([operator.idleTimeout, run.output().trace]).toEqual([undefined, ['w99', '1@100']]);
  });
});

describe('meta and restore', () => {
  test('a new operator goes on from the watermark, with a new generator', () => {
    const strategy = WatermarkStrategy.forBoundedOutOfOrderness<number>(0);
    const make = () => new JobRun<number>((input) => input.assignTimestampsAndWatermarks(strategy));
    const [before, after] = [make(), make()];
    before.feed([1, 1000]);
    const { instance } = after.operator('timestamps');
    instance.restore?.(before.operator('timestamps').instance.meta?.() ?? {});
    after.feed([2, 500], [3, 2000]);
    expect(after.output().trace).toEqual(['2@500', 'w1999', '3@2000']);
  });
});
