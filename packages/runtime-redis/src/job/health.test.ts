import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { TaskStatus } from '../task/runner.ts';
import { type HealthFacts, healthOf } from './health.ts';

const WELL: HealthFacts = {
  state: 'running',
  failure: undefined,
  trouble: undefined,
  unowned: { s: [] },
  plans: [{ task: 's', topic: 'orders' }],
  waiting: undefined,
  lease: 15_000,
  deafness: undefined,
  unreplicated: undefined,
  idle: [],
  grown: [],
  tasks: [],
};

const task = (facts: Partial<TaskStatus>): TaskStatus => ({
  ...{
    task: 's',
    topic: 'orders',
    partition: 3,
    state: 'running',
    epoch: 1,
    offset: '0-0',
    lag: 0,
    inFlight: 0,
    busyFor: 0,
  },
  ...{
    watermark: 0,
    watermarks: {},
    lateRecords: {},
    deadLetters: 0,
    lostMessages: 0,
    lastLoss: undefined,
    commits: 0,
    undelivered: {},
    unreplicated: undefined,
    failingSinks: {},
  },
  lastError: undefined,
  ...facts,
});

test('nothing is wrong', () => {
  expect(healthOf(WELL)).toEqual({ ok: true, reasons: [] });
  expect(healthOf({ ...WELL, state: 'paused' })).toEqual({ ok: true, reasons: [] });
  expect(healthOf({ ...WELL, state: 'finished' })).toEqual({ ok: true, reasons: [] });
  expect(healthOf({ ...WELL, tasks: [task({ lastError: new RsError('RS_CLOSED', 'long ago') })] }).ok).toBe(
    true,
  );
});

test.each<[Partial<HealthFacts>, string]>([
  [{ unowned: undefined }, 'the other processes have not been met yet'],
  [{ trouble: new RsError('RS_REDIS_TIMEOUT', 'no answer') }, 'the other processes cannot be met: no answer'],
  [{ unowned: { s: [2] } }, "no process owns partition 2 of topic 'orders'"],
  [{ unowned: { s: [2, 5] } }, "no process owns partitions 2, 5 of topic 'orders'"],
  [
    { unowned: { s: Array.from({ length: 14 }, (_, at) => at) } },
    "no process owns partitions 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 4 more of topic 'orders'",
  ],
  [
    { waiting: { name: 'script meet-job', waited: 2_340, error: undefined } },
    'Redis has not done script meet-job for 2.3 s',
  ],
  [
    { waiting: { name: 'GET', waited: 1_000, error: new RsError('RS_REDIS_UNAVAILABLE', 'ECONNREFUSED') } },
    'Redis has not done GET for 1.0 s: ECONNREFUSED',
  ],
  [
    { deafness: new RsError('RS_REDIS_AUTH', 'no XREAD') },
    'new messages cannot be waited for, and are found late: no XREAD',
  ],
  [
    { idle: [{ topic: 'orders', partition: 1, error: new RsError('RS_LEASE_LOST', 'its lease was lost') }] },
    "partition 1 of topic 'orders' is not worked on by this process: its lease was lost",
  ],
  [
    { grown: [{ topic: 'orders', read: 1, partitions: 2, advice: 'start it again' }] },
    "topic 'orders' has got more partitions, 2 instead of 1, and nobody reads the new ones: start it again",
  ],
  [
    {
      unreplicated: new RsError('RS_REDIS_TIMEOUT', 'no replica has confirmed'),
      tasks: [
        task({ unreplicated: { results: 3, waited: 900 } }),
        task({ unreplicated: { results: 9, waited: 2_340 } }),
      ],
    },
    '12 results have waited for up to 2.3 s until a replica of Redis has them: no replica has confirmed',
  ],
  [
    { tasks: [task({ unreplicated: { results: 1, waited: 1_000 } })] },
    '1 result has waited for up to 1.0 s until a replica of Redis has it',
  ],
  [{ state: 'cancelled' }, 'the job was stopped in this process'],
  [{ state: 'failed', failure: new RsError('RS_INVALID_VALUE', 'poison') }, 'the job has failed: poison'],
  [
    { tasks: [task({ state: 'retrying', lastError: new RsError('RS_USER_FUNCTION_FAILED', 'no') })] },
    "partition 3 of topic 'orders' does not get on: no",
  ],
  [
    { tasks: [task({ busyFor: 30_400 })] },
    "partition 3 of topic 'orders' has been at one batch for 30 s: a function may never return",
  ],
  [
    { tasks: [task({ failingSinks: { mails: new RsError('RS_SINK_FAILED', 'no server') } })] },
    "sink 'mails' takes nothing from partition 3 of topic 'orders': no server",
  ],
])('%j: one reason', (facts, reason) => {
  expect(healthOf({ ...WELL, ...facts })).toEqual({ ok: false, reasons: [reason] });
});

test('what Redis has not done yet is nothing to worry about, unless it takes long for the lease', () => {
  const waiting = { name: 'GET', waited: 600, error: undefined };
  expect(healthOf({ ...WELL, waiting })).toEqual({ ok: true, reasons: [] });
  expect(healthOf({ ...WELL, waiting, lease: 1_500 }).reasons).toEqual(['Redis has not done GET for 0.6 s']);
  expect(healthOf({ ...WELL, waiting, lease: 1_500, state: 'finished' }).ok).toBe(true);
});

test('several reasons, the same ones as long as they last', () => {
  const facts = { ...WELL, trouble: 'away', unowned: { s: [1] }, tasks: [task({ state: 'retrying' })] };
  expect(healthOf(facts).reasons).toHaveLength(3);
});
