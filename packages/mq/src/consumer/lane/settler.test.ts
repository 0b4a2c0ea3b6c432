import { expect, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import type { RedisClient, RedisReply, ScriptCall } from '@rs/redis';
import { FakeTime, FakeTimers } from '../../test-support/fake-timers.ts';
import { NOT_QUEUED } from '../dispatch/queue-entry.ts';
import { PartitionScripts } from '../partition/partition-scripts.ts';
import { UnsettledTable } from '../position/low-watermark.ts';
import type { Delivery } from './delivery.ts';
import { Settler } from './settler.ts';

/** A settler whose calls wait until the test answers them. */
function setUp() {
  const time = new FakeTime();
  const calls: { readonly outcomes: readonly unknown[]; readonly answer: () => void }[] = [];
  const run = ({ args }: ScriptCall): Promise<RedisReply> =>
    new Promise((resolve) => {
      // Behind token, group, sequence, low watermark and mark.
      calls.push({ outcomes: args.slice(5), answer: () => resolve(['OK', 0]) });
    });
  const keys = {
    ...{ stream: 's', holds: 'h', dead: 'd', lease: 'l', retries: 'r', attempts: 'a', redelivery: 'rd' },
  };
  const place = { topic: 't', partition: 0, group: 'g', tag: '{t}', keys };
  const table = new UnsettledTable('0-0');
  const settler = new Settler({
    scripts: new PartitionScripts({ run } as Partial<RedisClient> as RedisClient, place),
    token: 'token',
    table,
    timers: new FakeTimers(time),
    logger: silentLogger,
    onLost: () => undefined,
  });
  return { time, calls, settler, table };
}

function delivery(id: string, place: number): Delivery {
  const nothing = {
    m: undefined,
    k: undefined,
    h: undefined,
    d: undefined,
    foreign: undefined,
    key: undefined,
  };
  return {
    ...{ ...NOT_QUEUED, ...nothing, id, place, messageId: id, bytes: 0, redelivered: false },
    ...{ failed: 0, counted: true, suspect: false, recorded: false },
  };
}

test('of several retries that wait to be stored only the last is, and none after its end', async () => {
  const { time, calls, settler, table } = setUp();
  const [slow, failing, other] = ['1-0', '2-0', '3-0'].map((id) => delivery(id, table.add(id)));
  if (slow === undefined || failing === undefined || other === undefined) throw new Error('three of them');
  const fail = (each: Delivery): void => {
    each.failed++;
    settler.retry(each, each.failed * 10);
  };
  settler.done(slow);
  await time.settle();

  // While that call is under way, two messages fail twice, and one of them then succeeds.
  for (const each of [failing, other, failing, other]) fail(each);
  settler.done(failing);
  calls[0]?.answer();
  await time.settle();
  // Acknowledged; redelivered ones done; forgotten; retries with attempts and delay; dead ones.
  expect(calls[1]?.outcomes).toEqual([1, '2-0', 0, 1, '2-0', 1, '3-0', 2, 20, 0]);
});
