import { describe, expect, test } from '@jest/globals';
import { type Message, RsError } from '@rs/core';
import { coded } from '../../test-support/coded.ts';
import { FakeTimers } from '../../test-support/fake-timers.ts';
import type { HandlerContext, MessageHandler } from '../handler.ts';
import type { Delivery } from './delivery.ts';
import { MessageRunner, type MessageRunnerOptions } from './message-runner.ts';
import { pendingDelivery } from './new-delivery.ts';

function deliveryOf(id: string, failed = 0): Delivery {
  const fields = ['m', '1,json,-,', 'k', '', 'h', '', 'd', '1'].map((field) => Buffer.from(field));
  return pendingDelivery(
    { id, fields },
    { place: undefined, failed, recorded: false, suspect: false, keyed: false },
  );
}

const messageOf = ({ messageId }: Pick<Delivery, 'messageId'>): Message<unknown> => ({
  id: messageId,
  topic: 'orders',
  partition: 0,
  key: undefined,
  value: messageId,
  timestamp: 0,
  headers: {},
});

/** A runner and what it tells its lane. */
function setUp(handler: MessageHandler<unknown>, options: Partial<MessageRunnerOptions> = {}) {
  const timers = new FakeTimers();
  const told: unknown[] = [];
  const host = { mayHandle: true };
  const runner: MessageRunner = new MessageRunner(
    { handler, decode: messageOf, group: 'billing', ack: 'auto', timeout: undefined, timers, ...options },
    {
      get mayHandle() {
        return host.mayHandle;
      },
      ended: ({ id }, ending) => told.push([`ended ${id}`, ending]),
      returned: ({ id }) => told.push(`returned ${id}, ${runner.active} active`),
      notHandled: ({ id }) => told.push(`not handled ${id}, ${runner.active} active`),
    },
  );
  return { timers, told, runner, host };
}

const success = { type: 'outcome', outcome: { type: 'success' } };
const failed = (error: unknown) => ({ type: 'failed', error });
const boom = new Error('boom');

describe('every way to end', () => {
  test.each<[string, () => unknown, unknown]>([
    ['nothing returned', () => undefined, success],
    ['a word', () => 'RETRY', { type: 'outcome', outcome: { type: 'retry' } }],
    [
      'an outcome',
      () => ({ type: 'deadLetter', reason: 'x' }),
      { type: 'outcome', outcome: { type: 'deadLetter', reason: 'x' } },
    ],
    ['a mistake', () => 'OK', failed(coded('RS_INVALID_VALUE'))],
    [
      'thrown',
      () => {
        throw boom;
      },
      failed(boom),
    ],
    [
      'undefined thrown',
      () => {
        throw undefined;
      },
      failed(undefined),
    ],
    ['a promise', async () => undefined, success],
    ['a promise of a word', async () => 'SUCCESS', success],
    ['a promise of a mistake', async () => 7, failed(coded('RS_INVALID_VALUE'))],
    ['a rejection', () => Promise.reject(boom), failed(boom)],
    ['a thenable', () => ({ then: (resolve: (value: string) => void) => resolve('SUCCESS') }), success],
    [
      'a thenable that throws',
      () => ({
        then: () => {
          throw boom;
        },
      }),
      failed(boom),
    ],
    [
      'a thenable that answers twice',
      () => ({
        then: (resolve: (v: unknown) => void, reject: (e: unknown) => void) => {
          resolve(undefined);
          reject(boom);
        },
      }),
      success,
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw boom;
            },
          },
        ),
      failed(boom),
    ],
  ])('%s', async (_, handler, ending) => {
    const { told, runner, timers } = setUp(handler as MessageHandler<unknown>);
    runner.start([deliveryOf('1-0')]);
    await timers.settle();
    expect(told).toEqual([['ended 1-0', ending], 'returned 1-0, 0 active']);
  });

  test('at once where no promise is returned', () => {
    const { told, runner } = setUp(() => undefined);
    runner.start([deliveryOf('1-0'), deliveryOf('2-0')]);
    expect(told).toEqual([
      ['ended 1-0', success],
      'returned 1-0, 0 active',
      ['ended 2-0', success],
      'returned 2-0, 0 active',
    ]);
  });
});

test('a handler is told its attempt and its group', () => {
  const seen: HandlerContext[] = [];
  const { runner } = setUp((_, context) => void seen.push(context));
  runner.start([deliveryOf('1-0'), deliveryOf('2-0', 3)]);
  expect(seen.map(({ attempt, group }) => [attempt, group])).toEqual([
    [1, 'billing'],
    [4, 'billing'],
  ]);
});

describe('decoding', () => {
  test('what cannot be decoded has no call', () => {
    const refusal = new RsError('RS_INVALID_VALUE', 'no message');
    const { told, runner } = setUp(
      () => {
        throw new Error('never called');
      },
      {
        decode: () => {
          throw refusal;
        },
      },
    );
    runner.start([deliveryOf('1-0')]);
    expect(told).toEqual([['ended 1-0', { type: 'undecodable', error: refusal }], 'returned 1-0, 0 active']);
  });

  test('may take its time, and count as running', async () => {
    const { told, runner, timers } = setUp(() => undefined, {
      decode: async (delivery) => {
        await new Promise<void>((resolve) => timers.after(100, resolve));
        return messageOf(delivery);
      },
    });
    runner.start([deliveryOf('1-0')]);
    await timers.advance(99);
    expect([told, runner.active]).toEqual([[], 1]);
    await timers.advance(1);
    expect(told).toEqual([['ended 1-0', success], 'returned 1-0, 0 active']);
  });

  test('a schema that refuses, later', async () => {
    const refusal = new RsError('RS_INVALID_VALUE', 'no order');
    const { told, runner, timers } = setUp(() => undefined, { decode: () => Promise.reject(refusal) });
    runner.start([deliveryOf('1-0')]);
    await timers.settle();
    expect(told).toEqual([['ended 1-0', { type: 'undecodable', error: refusal }], 'returned 1-0, 0 active']);
  });

  test('a schema that fails says nothing about the message: an attempt like others', async () => {
    const { told, runner, timers } = setUp(() => undefined, { decode: () => Promise.reject(boom) });
    runner.start([deliveryOf('1-0')]);
    await timers.settle();
    expect(told).toEqual([['ended 1-0', failed(boom)], 'returned 1-0, 0 active']);
  });

  test('when the lease is lost meanwhile, the handler is not called', async () => {
    const { told, runner, timers, host } = setUp(
      () => {
        throw new Error('never called');
      },
      { decode: async (delivery) => messageOf(delivery) },
    );
    runner.start([deliveryOf('1-0')]);
    host.mayHandle = false;
    await timers.settle();
    expect(told).toEqual(['not handled 1-0, 0 active']);
  });
});

describe('time', () => {
  const never = () => new Promise<undefined>(() => undefined);

  test('over: the signal is aborted and the attempt has failed', async () => {
    let signal: AbortSignal | undefined;
    const { told, runner, timers } = setUp(
      (_, context) => {
        ({ signal } = context);
        return never();
      },
      { timeout: 100 },
    );
    runner.start([deliveryOf('1-0')]);
    await timers.advance(99);
    expect(told).toEqual([]);
    await timers.advance(1);
    expect(told).toEqual([['ended 1-0', failed(coded('RS_HANDLER_TIMEOUT'))], 'returned 1-0, 0 active']);
    expect(signal?.reason).toEqual(coded('RS_HANDLER_TIMEOUT'));
  });

  test('what it says after that has no effect', async () => {
    let end: () => void = () => undefined;
    const { told, runner, timers } = setUp(
      () => new Promise<undefined>((resolve) => (end = () => resolve(undefined))),
      { timeout: 100 },
    );
    runner.start([deliveryOf('1-0')]);
    await timers.advance(100);
    end();
    await timers.settle();
    expect(told).toHaveLength(2);
  });

  test('is not over for one that has ended', async () => {
    const { told, runner, timers } = setUp(async () => undefined, { timeout: 100 });
    runner.start([deliveryOf('1-0')]);
    await timers.advance(1_000);
    expect([told.length, timers.time.planned]).toEqual([2, 0]);
  });
});

describe('abort', () => {
  const lost = new RsError('RS_LEASE_LOST', 'lost');

  test('reaches all handlers under way, also those that ask for their signal only then', async () => {
    const contexts: HandlerContext[] = [];
    let end: () => void = () => undefined;
    const { runner, timers } = setUp((_, context) => {
      contexts.push(context);
      return new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
    });
    runner.start([deliveryOf('1-0'), deliveryOf('2-0')]);
    const early = contexts[0]?.signal;
    end();
    await timers.settle();
    runner.abort(lost);
    runner.abort(new RsError('RS_CLOSED', 'later'));
    expect(early?.reason).toBe(lost);
    // The second one has returned before: it has nothing to give up.
    expect(contexts[1]?.signal.aborted).toBe(false);
    expect(contexts[0]?.signal).toBe(early);
  });
});

describe("ack 'manual'", () => {
  test('returning does not settle; the first word counts, whenever it comes', async () => {
    let context: HandlerContext | undefined;
    const { told, runner, timers } = setUp(async (_, given) => void (context = given), { ack: 'manual' });
    runner.start([deliveryOf('1-0')]);
    await timers.settle();
    expect(told).toEqual(['returned 1-0, 0 active']);
    context?.settle({ type: 'retry', delay: 5 });
    context?.ack();
    expect(told.slice(1)).toEqual([['ended 1-0', { type: 'outcome', outcome: { type: 'retry', delay: 5 } }]]);
  });

  test('what is thrown settles, unless it was settled before', () => {
    const { told, runner } = setUp(
      ({ id }, context) => {
        if (id === '2-0') context.ack();
        throw boom;
      },
      { ack: 'manual' },
    );
    runner.start([deliveryOf('1-0'), deliveryOf('2-0')]);
    expect(told).toEqual([
      ['ended 1-0', failed(boom)],
      'returned 1-0, 0 active',
      ['ended 2-0', success],
      'returned 2-0, 0 active',
    ]);
  });

  test('signals are aborted until both have happened: it has returned and is settled', async () => {
    const contexts: HandlerContext[] = [];
    const { runner, timers } = setUp(
      ({ id }, context) => {
        contexts.push(context);
        if (id === '1-0') context.ack();
        return id === '2-0' ? undefined : new Promise<undefined>(() => undefined);
      },
      { ack: 'manual' },
    );
    runner.start([deliveryOf('1-0'), deliveryOf('2-0'), deliveryOf('3-0')]);
    await timers.settle();
    runner.abort(new RsError('RS_CLOSED', 'closes'));
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  });

  test("with 'auto' its methods are refused: nobody shall think that they settle", () => {
    const { told, runner } = setUp(({ id }, context) => {
      if (id === '1-0') context.settle({ type: 'deadLetter', reason: 'x' });
      else context.ack();
    });
    runner.start([deliveryOf('1-0'), deliveryOf('2-0')]);
    const refused = failed(coded('RS_INVALID_ARGUMENT'));
    expect(told).toEqual([
      ['ended 1-0', refused],
      'returned 1-0, 0 active',
      ['ended 2-0', refused],
      'returned 2-0, 0 active',
    ]);
  });

  test.each<[string, () => unknown, unknown]>([
    ['a word', () => 'DEAD_LETTER', { type: 'outcome', outcome: { type: 'deadLetter' } }],
    ['success', () => 'SUCCESS', success],
    ['an outcome', () => Promise.resolve({ type: 'retry' }), { type: 'outcome', outcome: { type: 'retry' } }],
    ['a mistake', () => 'OK', failed(coded('RS_INVALID_VALUE'))],
  ])('what is returned settles too: %s', async (_, result, ending) => {
    const { told, runner, timers } = setUp((() => result()) as MessageHandler<unknown>, { ack: 'manual' });
    runner.start([deliveryOf('1-0')]);
    await timers.settle();
    expect(told).toMatchObject([['ended 1-0', ending], 'returned 1-0, 0 active']);
  });

  test('settle takes words; what is no result is refused, and the message can be settled still', () => {
    let context: HandlerContext | undefined;
    const { told, runner } = setUp((_, given) => void (context = given), { ack: 'manual' });
    runner.start([deliveryOf('1-0')]);
    for (const mistake of ['OK', undefined, null, { type: 'retry', delay: -1 }]) {
      expect(() => context?.settle(mistake as never)).toThrow(coded('RS_INVALID_VALUE'));
    }
    expect(told).toEqual(['returned 1-0, 0 active']);
    context?.settle('RETRY');
    expect(told.slice(1)).toEqual([['ended 1-0', { type: 'outcome', outcome: { type: 'retry' } }]]);
  });
});
