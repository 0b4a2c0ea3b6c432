import { describe, expect, test } from '@jest/globals';
import { type Message, RsError } from '@rs/core';
import { coded } from '../../test-support/coded.ts';
import { FakeTimers } from '../../test-support/fake-timers.ts';
import type { BatchContext, BatchHandler } from '../handler.ts';
import { BatchRunner, type BatchRunnerOptions } from './batch-runner.ts';
import type { Delivery } from './delivery.ts';
import { pendingDelivery } from './new-delivery.ts';

function deliveriesOf(...ids: readonly string[]): Delivery[] {
  return ids.map((id, failed) =>
    pendingDelivery(
      { id, fields: [] },
      { place: undefined, failed, recorded: false, suspect: false, keyed: false },
    ),
  );
}

function messageOf({ messageId: id }: Pick<Delivery, 'messageId'>): Message<unknown> {
  return { id, topic: 'orders', partition: 0, key: undefined, value: id, timestamp: 0, headers: {} };
}

/** A runner and what it tells its lane. */
function setUp(handler: BatchHandler<unknown>, options: Partial<BatchRunnerOptions> = {}) {
  const timers = new FakeTimers();
  const told: unknown[] = [];
  const host = { mayHandle: true };
  const runner: BatchRunner = new BatchRunner(
    { handler, decode: messageOf, group: 'billing', timeout: undefined, timers, ...options },
    {
      get mayHandle() {
        return host.mayHandle;
      },
      ended: ({ id }, ending) => told.push([id, ending.type === 'outcome' ? ending.outcome.type : ending]),
      returned: ({ id }) => told.push(`${id} returned, ${runner.active} active`),
      notHandled: ({ id }) => told.push(`${id} not handled, ${runner.active} active`),
    },
  );
  return { timers, told, runner, host };
}

const returned = ['1-0 returned, 0 active', '2-0 returned, 0 active'];
const boom = new Error('boom');
const failed = (error: unknown) => ({ type: 'failed', error });
const mistake = failed(coded('RS_INVALID_VALUE'));

describe('every way to end', () => {
  test.each<[string, () => unknown, unknown, unknown]>([
    ['nothing returned', () => undefined, 'success', 'success'],
    ['a result for each', () => ['RETRY', undefined], 'retry', 'success'],
    ['a promise', async () => [{ type: 'deadLetter', reason: 'x' }, 'SUCCESS'], 'deadLetter', 'success'],
    ['one that is none', () => ['OK', 'SUCCESS'], mistake, 'success'],
    ['too few', () => ['SUCCESS'], mistake, mistake],
    ['too many', () => ['SUCCESS', 'SUCCESS', 'SUCCESS'], mistake, mistake],
    ['something else', () => 'SUCCESS', mistake, mistake],
    [
      'thrown',
      () => {
        throw boom;
      },
      failed(boom),
      failed(boom),
    ],
    ['a rejection', () => Promise.reject(boom), failed(boom), failed(boom)],
    [
      'a thenable',
      () => ({ then: (resolve: (value: unknown) => void) => resolve(['RETRY', 'RETRY']) }),
      'retry',
      'retry',
    ],
    [
      'a thenable that throws',
      () => ({
        then: () => {
          throw boom;
        },
      }),
      failed(boom),
      failed(boom),
    ],
  ])('%s', async (_, handler, first, second) => {
    const { told, runner, timers } = setUp(handler as BatchHandler<unknown>);
    runner.start(deliveriesOf('1-0', '2-0'));
    await timers.settle();
    expect(told).toEqual([['1-0', first], ['2-0', second], ...returned]);
  });
});

test('a handler is told the attempts and its group', async () => {
  let seen: BatchContext | undefined;
  const { runner, timers } = setUp((_, context) => void (seen = context));
  runner.start(deliveriesOf('1-0', '2-0'));
  await timers.settle();
  expect(seen).toMatchObject({ group: 'billing', attempts: [1, 2] });
});

describe('decoding', () => {
  const refusal = new RsError('RS_INVALID_VALUE', 'no order');

  test('what cannot be decoded is not handed over; the rest is, and all outcomes come in order', async () => {
    const batches: unknown[] = [];
    const { told, runner, timers } = setUp(
      (messages, { attempts }) => {
        batches.push([messages.map(({ id }) => id), attempts]);
        return ['RETRY'];
      },
      {
        decode: (delivery) => (delivery.messageId === '1-0' ? Promise.reject(refusal) : messageOf(delivery)),
      },
    );
    runner.start(deliveriesOf('1-0', '2-0'));
    await timers.settle();
    expect(batches).toEqual([[['2-0'], [2]]]);
    expect(told).toEqual([['1-0', { type: 'undecodable', error: refusal }], ['2-0', 'retry'], ...returned]);
  });

  test('with none left there is no call', async () => {
    const { told, runner, timers } = setUp(
      () => {
        throw new Error('never called');
      },
      { decode: () => Promise.reject(refusal) },
    );
    runner.start(deliveriesOf('1-0', '2-0'));
    await timers.settle();
    const undecodable = { type: 'undecodable', error: refusal };
    expect(told).toEqual([['1-0', undecodable], ['2-0', undecodable], ...returned]);
  });

  test('when the lease is lost meanwhile, the handler is not called', async () => {
    const { told, runner, timers, host } = setUp(() => {
      throw new Error('never called');
    });
    runner.start(deliveriesOf('1-0', '2-0'));
    host.mayHandle = false;
    expect(runner.active).toBe(1);
    await timers.settle();
    expect(told).toEqual(['1-0 not handled, 0 active', '2-0 not handled, 0 active']);
  });
});

test('when its time is over the signal is aborted and every attempt has failed, and what it says then has no effect', async () => {
  let signal: AbortSignal | undefined;
  let end: (error: Error) => void = () => undefined;
  const { told, runner, timers } = setUp(
    (_, context) => {
      ({ signal } = context);
      return new Promise((_resolve, reject) => (end = reject));
    },
    { timeout: 100 },
  );
  runner.start(deliveriesOf('1-0', '2-0'));
  await timers.advance(99);
  expect(told).toEqual([]);
  await timers.advance(1);
  const late = failed(coded('RS_HANDLER_TIMEOUT'));
  expect(told).toEqual([['1-0', late], ['2-0', late], ...returned]);
  expect(signal?.reason).toEqual(coded('RS_HANDLER_TIMEOUT'));
  end(boom);
  await timers.settle();
  expect(told).toHaveLength(4);
});

test('the time of one that has ended is over for nobody', async () => {
  const { told, runner, timers } = setUp(async () => undefined, { timeout: 100 });
  runner.start(deliveriesOf('1-0', '2-0'));
  await timers.advance(1_000);
  expect([told.length, timers.time.planned]).toEqual([4, 0]);
});

test('abort reaches the handler under way', async () => {
  let signal: AbortSignal | undefined;
  const { runner, timers } = setUp((_, context) => {
    ({ signal } = context);
    return new Promise(() => undefined);
  });
  runner.start(deliveriesOf('1-0'));
  await timers.settle();
  const lost = new RsError('RS_LEASE_LOST', 'lost');
  runner.abort(lost);
  expect(signal?.reason).toBe(lost);
});
