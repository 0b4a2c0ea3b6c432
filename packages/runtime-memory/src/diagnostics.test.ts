import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { defineJob, DIAGNOSTICS_CHANNELS, type StreamEnvironment } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';
import { LiveSource } from './test-support/live-source.ts';
import { MODES, run } from './test-support/run.ts';
import { settle } from './test-support/settle.ts';
import { timed } from './test-support/timed.ts';

const NAMES = Object.values(DIAGNOSTICS_CHANNELS);

describe('the channels of diagnostics_channel', () => {
  const messages: [channel: string, message: Record<string, unknown>][] = [];
  const listener = (message: unknown, name: string | symbol) =>
    void messages.push([String(name), message as Record<string, unknown>]);

  beforeEach(() => {
    messages.length = 0;
    for (const name of NAMES) subscribe(name, listener);
  });
  afterEach(() => {
    for (const name of NAMES) unsubscribe(name, listener);
  });

  const names = () => messages.map(([name]) => name);
  const jobs = () => new Set(messages.flatMap(([, { job }]) => (job === undefined ? [] : [job])));

  test.each(MODES)('tell of the start, late records and the end, %s', async (mode) => {
    await run(mode, (env: StreamEnvironment) =>
      timed(
        env,
        [5, 1_000, 7].map((at) => ({ at, value: at })),
      )
        .keyBy(() => 'k')
        .window(TumblingWindow.of(10))
        .count({ uid: 'counts' })
        .addSink(() => undefined, { uid: 'out' }),
    );
    const [job] = jobs();
    expect(jobs().size).toBe(1);
    expect(messages).toEqual([
      ['rs:job:started', { job, operators: ['source-0', 'timestamps-1', 'keyBy-2', 'counts', 'out'] }],
      ['rs:record:late', { operator: 'counts', key: 'k', value: 7, timestamp: 7, watermark: 999 }],
      [
        'rs:job:finished',
        {
          job,
          status: 'finished',
          metrics: { lateRecords: 1, lateRecordsByOperator: { counts: 1 } },
        },
      ],
    ]);
  });

  test.each(MODES)('tell of a failure, %s', async (mode) => {
    const running = run(mode, (env) =>
      env.fromElements(1).addSink(() => {
        throw new Error('full');
      }),
    );
    await expect(running).rejects.toThrow('full');
    expect(names()).toEqual(['rs:job:started', 'rs:job:failed']);
    expect(messages[1]?.[1]).toEqual({ job: messages[0]?.[1]['job'], error: coded('RS_SINK_FAILED') });
  });

  test('tell of a cancelled run', async () => {
    const abort = new AbortController();
    const running = StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(
      defineJob((env) => env.addSource(new LiveSource<number>()).addSink(() => undefined)),
      { signal: abort.signal },
    );
    await settle();
    expect(names()).toEqual(['rs:job:started']);
    abort.abort();
    await running;
    expect(names()).toEqual(['rs:job:started', 'rs:job:finished']);
    expect(messages[1]?.[1]['status']).toBe('cancelled');
  });

  test('tell of an iteration: that it ended, or was left', () => {
    const stream = StreamExecutionEnvironment.getExecutionEnvironment().fromElements(1, 2);
    expect([...stream]).toEqual([1, 2]);
    for (const _v of stream) break;
    const ends = messages.filter(([name]) => name === 'rs:job:finished').map(([, { status }]) => status);
    expect(ends).toEqual(['finished', 'cancelled']);
    expect(jobs().size).toBe(2);
  });

  test('say nothing of a job that could not start', async () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    await expect(env.executeAsync(defineJob(() => undefined))).rejects.toEqual(coded('RS_NO_SINK'));
    expect(messages).toEqual([]);
  });
});
