import { describe, expect, test } from '@jest/globals';
import type { WatermarkGenerator } from '@rs/core';
import { AscendingTimestampWatermarkGenerator, WatermarkStrategy } from '@rs/watermark';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { timestampsSpec } from './timestamps-spec.ts';

const untyped = (value: unknown) => value as never;

function plain(): WatermarkGenerator<number> {
  return {
    onEvent: (_event, timestamp, output) => output.emitWatermark(timestamp),
    onPeriodicEmit: () => undefined,
  };
}

describe('the forms of assignTimestampsAndWatermarks', () => {
  test.each<[string, Parameters<typeof timestampsSpec<number>>, string[]]>([
    [
      'a strategy',
      [
        WatermarkStrategy.forMonotonousTimestamps<number>().withTimestampAssigner(
          (value: number) => value * 10,
        ),
        undefined,
      ],
      ['w49', '5@50'],
    ],
    [
      'a strategy without assigner',
      [WatermarkStrategy.forMonotonousTimestamps<number>(), undefined],
      ['w6', '5@7'],
    ],
    ['a generator', [new AscendingTimestampWatermarkGenerator<number>(), undefined], ['w6', '5@7']],
    ['a factory', [() => new AscendingTimestampWatermarkGenerator<number>(), undefined], ['w6', '5@7']],
    [
      'assigner and generator',
      [
        (value: number, timestamp: number) => value + timestamp,
        new AscendingTimestampWatermarkGenerator<number>(),
      ],
      ['w11', '5@12'],
    ],
    ['assigner and factory', [(value: number) => value, () => plain()], ['w5', '5@5']],
  ])('%s', (_name, [first, second], trace) => {
    const run = new JobRun<number>((input) =>
      input.assignTimestampsAndWatermarks(untyped(first), untyped(second)),
    );
    expect(run.feed([5, 7]).output().trace).toEqual(trace);
  });
});

describe('a generator given as an object', () => {
  test('serves one run, when it cannot make a fresh one', () => {
    const { createGenerator } = timestampsSpec(plain(), undefined);
    createGenerator();
    expect(errorOf(createGenerator).code).toBe('RS_GENERATOR_REUSED');
  });

  test('is asked for a fresh one each time', () => {
    const generator = new AscendingTimestampWatermarkGenerator<number>();
    const { createGenerator } = timestampsSpec(generator, undefined);
    expect(createGenerator()).not.toBe(generator);
    expect(createGenerator()).not.toBe(createGenerator());
  });
});

describe('a factory', () => {
  test('that makes no generator, such as a lone assigner, is refused when the job starts', () => {
    const job = () =>
      new JobRun<number>((input) => input.assignTimestampsAndWatermarks(untyped((value: number) => value)));
    const { code, message } = errorOf(job);
    expect(code).toBe('RS_INVALID_ARGUMENT');
    expect(message).toContain('an assigner of timestamps needs one beside it');
  });

  test('that throws is an error that names the operator', () => {
    const failing = (): WatermarkGenerator<number> => {
      throw new Error('no clock');
    };
    const error = errorOf(() => new JobRun<number>((input) => input.assignTimestampsAndWatermarks(failing)));
    expect([error.code, error.message]).toEqual(['RS_USER_FUNCTION_FAILED', 'timestamps failed: no clock']);
  });
});
