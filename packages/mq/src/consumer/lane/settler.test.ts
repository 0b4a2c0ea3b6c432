import { describe, expect, test } from '@jest/globals';
import { RsError, silentLogger } from '@rs/core';
import { coded } from '../../test-support/coded.ts';
import type { RedisClient, RedisReply, ScriptCall } from '@rs/redis';
import { FakeTime, FakeTimers } from '../../test-support/fake-timers.ts';
import { NOT_QUEUED } from '../dispatch/queue-entry.ts';
import { PartitionScripts } from '../partition/partition-scripts.ts';
import { UnsettledTable } from '../position/low-watermark.ts';
import type { Delivery } from './delivery.ts';
import { Settler } from './settler.ts';

interface Call {
  readonly args: ScriptCall['args'];
  readonly low: unknown;
  /** The entry that is marked. */
  readonly started: unknown;
  readonly outcomes: readonly unknown[];
  answer(reply?: RedisReply): void;
  fail(error: RsError): void;
}

/** A settler whose calls wait until the test answers them. */
function setUp() {
  const time = new FakeTime();
  const calls: Call[] = [];
  const lost: RsError[] = [];
  const run = ({ args }: ScriptCall): Promise<RedisReply> =>
    new Promise((resolve, reject) => {
      const [, , , low, started, ...outcomes] = args;
      const answer = (reply: RedisReply = ['OK', 0]): void => {
        resolve(reply);
      };
      calls.push({ args, low, started, outcomes, answer, fail: reject });
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
    onLost: (error) => lost.push(error),
    onStored: () => undefined,
  });
  const deliveries = (...ids: readonly string[]) => ids.map((id) => delivery(id, table.add(id)));
  /** Whether what is waited for has come. */
  const has = (waiting: Promise<void>): (() => boolean) => {
    let done = false;
    void waiting.then(() => (done = true));
    return () => done;
  };
  return { time, calls, lost, settler, table, deliveries, has };
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

const connectionLost = new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost');

describe('calls', () => {
  test('what ends in one turn goes together, what ends meanwhile with the next call', async () => {
    const { time, calls, settler, deliveries } = setUp();
    const [a, b, c, d] = deliveries('1-0', '2-0', '3-0', '4-0') as [Delivery, Delivery, Delivery, Delivery];
    settler.done(a);
    settler.done(c);
    await time.settle();
    expect(calls.map(({ low, outcomes }) => [low, outcomes])).toEqual([
      ['1-0', [2, '1-0', '3-0', 0, 0, 0, 0]],
    ]);
    settler.done(b);
    await time.settle();
    settler.done(d);
    await time.settle();
    expect(calls).toHaveLength(1);
    calls[0]?.answer();
    await time.settle();
    expect(calls.slice(1).map(({ low, outcomes }) => [low, outcomes])).toEqual([
      ['4-0', [2, '2-0', '4-0', 0, 0, 0, 0]],
    ]);
    calls[1]?.answer();
    await time.advance(60_000);
    expect(calls).toHaveLength(2);
  });

  test('one whose answer is lost is made again, unchanged, until there is one', async () => {
    const { time, calls, lost, settler, deliveries } = setUp();
    const [a, b] = deliveries('1-0', '2-0') as [Delivery, Delivery];
    settler.dead(a, 'handler', '{}');
    await time.settle();
    settler.done(b);
    for (const [n, pause] of [20, 40, 80, 160].entries()) {
      calls[n]?.fail(connectionLost);
      await time.advance(pause - 1);
      expect(calls).toHaveLength(n + 1);
      await time.advance(1);
      expect(calls[n + 1]?.args).toEqual(calls[0]?.args);
    }
    calls[4]?.answer();
    await time.settle();
    expect([calls.length, calls[5]?.outcomes, lost]).toEqual([6, [1, '2-0', 0, 0, 0, 0], []]);
    // They are numbered, so that Redis knows one that it has executed.
    expect([calls[4]?.args[2], calls[5]?.args[2]]).toEqual([1, 2]);
  });

  test('at most a thousand outcomes go with one', async () => {
    const { time, calls, settler, deliveries } = setUp();
    for (const each of deliveries(...Array.from({ length: 2_500 }, (_, n) => `1-${n}`))) settler.done(each);
    for (let n = 0; n < 3; n++) {
      await time.settle();
      calls[n]?.answer();
    }
    await time.settle();
    expect(calls.map(({ outcomes }) => outcomes[0])).toEqual([1_000, 1_000, 500]);
    expect(calls.map(({ low }) => low)).toEqual(['1-999', '1-1999', '1-2499']);
  });

  test('a mark goes with the outcomes before it', async () => {
    const { time, calls, settler, deliveries, has } = setUp();
    const [a] = deliveries('1-0', '2-0') as [Delivery];
    settler.done(a);
    const marked = has(settler.mark('2-0'));
    await time.settle();
    expect([calls[0]?.started, calls[0]?.outcomes[0], marked()]).toEqual(['2-0', 1, false]);
    calls[0]?.answer();
    await time.settle();
    expect([calls.length, marked()]).toEqual([1, true]);
  });
});

describe('stored', () => {
  test('is fulfilled at once when there is nothing to store', async () => {
    const { time, settler, has } = setUp();
    const stored = has(settler.stored());
    await time.settle();
    expect(stored()).toBe(true);
  });

  test('is fulfilled when Redis has answered, also for what came meanwhile', async () => {
    const { time, calls, settler, deliveries, has } = setUp();
    const [a, b] = deliveries('1-0', '2-0') as [Delivery, Delivery];
    settler.done(a);
    const stored = has(settler.stored());
    await time.settle();
    settler.done(b);
    calls[0]?.answer();
    await time.settle();
    expect(stored()).toBe(false);
    calls[1]?.answer();
    await time.settle();
    expect(stored()).toBe(true);
  });

  test('and when nothing will be stored any more', async () => {
    const { time, calls, settler, deliveries, has } = setUp();
    const [a] = deliveries('1-0') as [Delivery];
    settler.done(a);
    const stored = has(settler.stored());
    await time.settle();
    settler.close();
    await time.settle();
    expect([stored(), has(settler.mark('x'))()]).toEqual([true, false]);
    calls[0]?.fail(connectionLost);
    settler.done(a);
    await time.advance(60_000);
    expect([calls.length, time.planned]).toEqual([1, 0]);
  });
});

describe('the end', () => {
  test.each(['FENCED', 'NOGROUP', 'ROLLED_BACK'])(
    '%s: the lane is told once, and nothing more is stored',
    async (status) => {
      const { time, calls, lost, settler, deliveries, has } = setUp();
      const [a, b] = deliveries('1-0', '2-0') as [Delivery, Delivery];
      settler.done(a);
      const stored = has(settler.stored());
      await time.settle();
      settler.done(b);
      calls[0]?.answer([status]);
      await time.advance(60_000);
      expect([calls.length, stored(), lost]).toEqual([1, true, [coded('RS_LEASE_LOST')]]);
      expect(lost[0]?.message).toContain("partition 0 of topic 't'");
    },
  );

  test('a closed client ends it too: the lease ends by itself', async () => {
    const { time, calls, lost, settler, deliveries, has } = setUp();
    const [a] = deliveries('1-0') as [Delivery];
    settler.done(a);
    const stored = has(settler.stored());
    await time.settle();
    calls[0]?.fail(new RsError('RS_CLOSED', 'closed'));
    await time.advance(60_000);
    expect([calls.length, stored(), lost]).toEqual([1, true, []]);
  });

  test('closing ends a pause between two tries', async () => {
    const { time, calls, settler, deliveries } = setUp();
    const [a] = deliveries('1-0') as [Delivery];
    settler.done(a);
    await time.settle();
    calls[0]?.fail(connectionLost);
    await time.settle();
    settler.close();
    await time.advance(60_000);
    expect([calls.length, time.planned]).toEqual([1, 0]);
  });
});

test('what no repetition mends ends the lane, and says why; nothing more is called', async () => {
  const { time, calls, lost, settler, deliveries } = setUp();
  for (const each of deliveries('1-0', '2-0')) settler.done(each);
  await time.settle();
  const cause = new RsError('RS_REDIS_REPLY', 'NOPERM no permission', { retriable: false });
  calls[0]?.fail(cause);
  await time.advance(60_000);
  expect([calls.length, settler.stuck]).toEqual([1, true]);
  expect(lost).toEqual([coded('RS_LEASE_LOST')]);
  expect(lost[0]).toMatchObject({ cause, message: expect.stringContaining('NOPERM no permission') });
  await settler.stored();
});

test('counts what is not stored', async () => {
  const { time, calls, settler, deliveries } = setUp();
  const [a, b, c] = deliveries('1-0', '2-0', '3-0');
  if (a === undefined || b === undefined || c === undefined) throw new Error('three of them');
  settler.done(a);
  settler.dead(b, 'handler', '{}');
  await time.settle();
  settler.done(c);
  expect(settler.unstored).toBe(3);
  calls[0]?.answer();
  await time.settle();
  expect(settler.unstored).toBe(1);
  calls[1]?.answer();
  await time.settle();
  expect(settler.unstored).toBe(0);
});
