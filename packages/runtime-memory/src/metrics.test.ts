import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamEnvironment } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { MODES, run } from './test-support/run.ts';
import { timed } from './test-support/timed.ts';

/** Two window operators: in the one two records are late, in the other one. */
function define(env: StreamEnvironment): void {
  const numbers = timed(
    env,
    [5, 1_000, 7, 985].map((at) => ({ at, value: at })),
  ).keyBy(() => 'k');
  numbers.window(TumblingWindow.of(10)).count({ uid: '__proto__' }).addSink(() => undefined); // prettier-ignore
  numbers.window(TumblingWindow.of(100)).count({ uid: 'hundreds' }).addSink(() => undefined); // prettier-ignore
}

const EXPECTED = {
  lateRecords: 4,
  lateRecordsByOperator: Object.fromEntries([
    ['__proto__', 2],
    ['hundreds', 2],
  ]),
};

describe('metrics', () => {
  test.each(MODES)('count late records in total and by operator, %s', async (mode) => {
    const env = await run(mode, define);
    expect(env.metrics()).toEqual(EXPECTED);
    expect(Object.keys(env.metrics().lateRecordsByOperator)).toEqual(['__proto__', 'hundreds']);
  });

  test('of a run are in its result, those of the environment add up', async () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    expect(env.metrics()).toEqual({ lateRecords: 0, lateRecordsByOperator: {} });
    const first = await env.executeAsync(defineJob(define));
    const second = await env.executeAsync(defineJob(define));
    expect([first.metrics, second.metrics]).toEqual([EXPECTED, EXPECTED]);
    expect(env.metrics().lateRecords).toBe(8);
  });

  test('are a copy', async () => {
    const env = await run('eager', define);
    const before = env.metrics();
    define(env);
    expect(before.lateRecords).toBe(4);
    expect(env.metrics().lateRecords).toBe(8);
  });
});
