import { describe, expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime, FakeTimers } from '../test-support/fake-timers.ts';
import { RedisTaskRunner } from './task-runner.ts';

const place = {
  ...{ prefix: 'rs', job: 'billing', task: 'source', topic: 'orders', group: 'g' },
  ...{ topicShards: 1, partition: 0, stateShards: 1 },
};

/** A runner whose task does not get open. */
function opening() {
  const run = jest.fn(() => Promise.resolve(1));
  const timers = new FakeTimers(new FakeTime());
  const host = {
    client: { run },
    settings: { timers, lease: { stored: 1_000 }, processingTime: 'clock', hotKeys: {} },
    outputs: { forTask: () => new Promise(() => undefined) },
    events: {},
  };
  const lease = { token: 'mine', now: 0, stored: { offset: '0-0', count: 0, ended: false, operators: {} } };
  const runner = new RedisTaskRunner(
    host as never,
    { place, lease, deadline: 1_000, paused: false } as never,
  );
  return { runner, run };
}

describe('a task that Redis does not let it open', () => {
  test('is given back at once when it is to stop', async () => {
    const { runner, run } = opening();
    const ended = runner.run();
    runner.stop({ drain: false });
    expect(await ended).toEqual({ type: 'released' });
    expect(run).toHaveBeenCalledTimes(1);
    expect(runner.status().state).toBe('ended');
  });

  test('is left alone at once when it is lost', async () => {
    const { runner, run } = opening();
    const ended = runner.run();
    const error = new RsError('RS_LEASE_LOST', 'gone');
    runner.lose(error);
    expect(await ended).toEqual({ type: 'lost', error });
    expect(run).not.toHaveBeenCalled();
  });
});
