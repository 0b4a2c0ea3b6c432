import { expect, test } from '@jest/globals';
import { type Logger, RsError, silentLogger } from '@rs/core';
import { rejectionOf } from '../test-support/coded.ts';
import { turn } from '../test-support/turn.ts';
import { SharedSink } from './shared-sink.ts';

const going = (): boolean => false;

test('is opened before the first result, and called about one result at a time', async () => {
  const log: unknown[] = [];
  const wakes: (() => void)[] = [];
  const sink = new SharedSink(
    {
      open: () => void log.push('open'),
      invoke: async (value) => {
        log.push(value);
        await new Promise<void>((wake) => wakes.push(wake));
      },
      close: () => void log.push('close'),
    },
    "sink 'x'",
    silentLogger,
  );
  expect(log).toEqual([]);
  const calls = [sink.invoke(1, going), sink.invoke(2, going), sink.invoke(3, going)];
  for (const value of [1, 2, 3]) {
    await turn();
    expect(log).toEqual(['open', ...[1, 2, 3].slice(0, value)]);
    wakes.shift()?.();
  }
  await Promise.all(calls);
  await Promise.all([sink.close(), sink.close()]);
  expect(log.slice(4)).toEqual(['close']);
  await rejectionOf(sink.invoke(4, going), 'RS_CLOSED');
});

test('is opened again when that fails, and closed all the same', async () => {
  const log: string[] = [];
  const sink = new SharedSink(
    {
      open: () => {
        log.push('open');
        if (log.length < 2) throw new Error('not yet');
      },
      invoke: () => void log.push('invoke'),
      close: () => void log.push('close'),
    },
    "sink 'x'",
    silentLogger,
  );
  const error = await rejectionOf(sink.invoke(1, going), 'RS_SINK_FAILED');
  expect(error.message).toBe("sink 'x' failed: not yet");
  await sink.invoke(1, going);
  await sink.close();
  expect(log).toEqual(['open', 'open', 'invoke', 'close']);
});

test('that had no result is not closed; what closing throws is told', async () => {
  const errors: object[] = [];
  const logger: Logger = { ...silentLogger, error: (facts) => void errors.push(facts) };
  const failing = {
    invoke: () => undefined,
    close: () => {
      throw new Error('stuck');
    },
  };
  await new SharedSink(failing, "sink 'x'", logger).close();
  expect(errors).toEqual([]);
  const used = new SharedSink(failing, "sink 'x'", logger);
  await used.invoke(1, going);
  await used.close();
  expect(errors).toMatchObject([{ sink: "sink 'x'" }]);
});

test('has failed whatever it throws, also an error with a code of ours', async () => {
  const cause = new RsError('RS_CLOSED', 'its producer is closed');
  const sink = new SharedSink({ invoke: () => Promise.reject(cause) }, "sink 'x'", silentLogger);
  expect((await rejectionOf(sink.invoke(1, going), 'RS_SINK_FAILED')).cause).toBe(cause);
});

test('does not begin what is not wanted any more when its turn comes', async () => {
  const given: unknown[] = [];
  const wakes: (() => void)[] = [];
  const invoke = (value: unknown) => {
    given.push(value);
    return new Promise<void>((wake) => wakes.push(wake));
  };
  const sink = new SharedSink({ invoke }, "sink 'x'", silentLogger);
  const first = sink.invoke(1, going);
  const second = rejectionOf(
    sink.invoke(2, () => true),
    'RS_CLOSED',
  );
  await turn();
  wakes.shift()?.();
  await Promise.all([first, second]);
  expect(given).toEqual([1]);
});
