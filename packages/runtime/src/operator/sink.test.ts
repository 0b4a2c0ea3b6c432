import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../test-support/error-of.ts';
import { newTask } from '../test-support/new-task.ts';
import { Gate } from './gate.ts';
import { INVOKE_AT, SinkOperator } from './sink.ts';

function sinkOf(mode: 'sync' | 'async', invoke: (value: number) => void | Promise<void>) {
  const task = newTask({ mode });
  return { task, sink: new SinkOperator(new Gate(task, "sink 'out'", 'RS_SINK_FAILED'), { invoke }) };
}

describe('a sink', () => {
  test('gets one record after the other, also when it is slow', async () => {
    const log: string[] = [];
    const { task, sink } = sinkOf('async', async (value) => {
      log.push(`begin ${value}`);
      await Promise.resolve();
      log.push(`end ${value}`);
    });
    for (const value of [1, 2, 3]) sink.record(value, 0, undefined);
    await task.settled();
    expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  test('that fails has a code of its own', async () => {
    const cause = new Error('disk full');
    const { task, sink } = sinkOf('sync', () => {
      throw cause;
    });
    const error = errorOf(() => sink.record(1, 0, undefined));
    expect([error.code, error.message, error.cause]).toEqual([
      'RS_SINK_FAILED',
      "sink 'out' failed: disk full",
      cause,
    ]);
    expect(task.failed).toBe(true);
    const rejecting = sinkOf('async', () => Promise.reject(cause));
    rejecting.sink.record(1, 0, undefined);
    rejecting.sink.record(2, 0, undefined);
    await rejecting.task.settled();
    expect(errorOf(() => rejecting.task.throwFailure()).code).toBe('RS_SINK_FAILED');
  });

  test('of an engine may ask for the time of its records', () => {
    const log: unknown[] = [];
    const gate = new Gate(newTask({ mode: 'sync' }), 'sink', 'RS_SINK_FAILED');
    const sink = new SinkOperator<string>(gate, {
      invoke: () => void log.push('without time'),
      [INVOKE_AT]: (value: string, timestamp: number) => void log.push([value, timestamp]),
    });
    sink.record('a', 7, undefined);
    expect(log).toEqual([['a', 7]]);
  });

  test('is not interested in time', () => {
    const { sink } = sinkOf('sync', () => undefined);
    expect([sink.watermark(), sink.status(), sink.end()]).toEqual([undefined, undefined, undefined]);
  });
});
