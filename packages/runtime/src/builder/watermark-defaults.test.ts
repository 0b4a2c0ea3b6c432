import { describe, expect, test } from '@jest/globals';
import { WatermarkStrategy } from '@rs/watermark';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const environment = (defaults: object) => () => new TestEnvironment(defaults);

describe('the environment', () => {
  test('lets no partition become idle and trusts every time, unless it is told', () => {
    expect(new TestEnvironment().watermarks).toEqual({
      outOfOrderness: 0,
      idleness: undefined,
      maxFutureSkew: undefined,
    });
    const set = new TestEnvironment({
      watermarkOutOfOrderness: '1s',
      watermarkIdleTimeout: '2s',
      maxFutureSkew: '3s',
    });
    expect(set.watermarks).toEqual({
      outOfOrderness: 1_000,
      idleness: { timeout: 2_000, mode: 'advance' },
      maxFutureSkew: 3_000,
    });
    expect(new TestEnvironment({ watermarkIdleTimeout: 0 }).watermarks.idleness).toBeUndefined();
  });

  test('refuses what is none', () => {
    expect(errorOf(environment({ watermarkIdleTimeout: -1 })).code).toBe('RS_INVALID_DURATION');
    expect(errorOf(environment({ maxFutureSkew: 0 })).code).toBe('RS_INVALID_DURATION');
    expect(errorOf(environment({ watermarkIdleMode: 'wait' })).code).toBe('RS_INVALID_ARGUMENT');
  });
});

describe('a record whose time is too far ahead of the clock', () => {
  const run = (maxFutureSkew?: number) =>
    new JobRun<string>(
      (input) => input.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps<string>()),
      { environment: maxFutureSkew === undefined ? {} : { maxFutureSkew } },
    );

  test('is processed, and moves no watermark', () => {
    const job = run(50);
    job.clock.time = 100;
    job.feed(['a', 90], ['far', 151], ['b', 100], ['just', 150]);
    expect(job.output().trace).toEqual(['w89', 'a@90', 'far@151', 'w99', 'b@100', 'w149', 'just@150']);
  });

  test('is like any other where nothing is said', () => {
    const job = run();
    job.clock.time = 100;
    job.feed(['far', 1_000]);
    expect(job.output().trace).toEqual(['w999', 'far@1000']);
  });
});

describe('idleness', () => {
  const idleTimeouts = (strategy: WatermarkStrategy<string>): readonly unknown[] => {
    const job = new JobRun<string>((input) => input.assignTimestampsAndWatermarks(strategy), {
      environment: { watermarkIdleTimeout: 70, watermarkIdleMode: 'hold' },
    });
    return job.operators.map(({ instance }) => (instance as { idleTimeout?: number }).idleTimeout);
  };

  test('is that of the environment where a strategy says nothing', () => {
    const strategy = WatermarkStrategy.forMonotonousTimestamps<string>();
    expect(idleTimeouts(strategy)).toEqual([70]);
    expect(idleTimeouts(strategy.withIdleness(9))).toEqual([9]);
  });
});
