import { expect, test } from '@jest/globals';
import { coded } from '../../test-support/coded.ts';
import { FakeBroker } from '../../test-support/fake-broker.ts';
import { FakeTimers } from '../../test-support/fake-timers.ts';
import { Doorbell, type Listener } from './doorbell.ts';

function setUp() {
  const timers = new FakeTimers();
  const broker = new FakeBroker(timers.time);
  const troubles: unknown[] = [];
  const warnings: boolean[] = [];
  /** Keys and ids of each blocking read. */
  const reads: string[] = [];
  const connection = broker.client(timers).dedicated({ key: 'k', name: 'n' });
  const doorbell = new Doorbell({
    connection: {
      call: (command, options) => {
        reads.push(command.args.slice(command.args.indexOf('STREAMS') + 1).join(' '));
        return connection.call(command, options);
      },
      wake: () => {
        connection.wake();
      },
      close: () => {
        connection.close();
      },
    },
    block: 1_000,
    timers,
    onTrouble: (error, told) => {
      troubles.push(error);
      warnings.push(told);
    },
  });
  const rings: string[] = [];
  const listener = (name: string): Listener => ({
    stream: name,
    redelivery: `${name}:rd`,
    ring: () => {
      rings.push(name);
    },
  });
  const add = async (key: string): Promise<string> => {
    const id = broker.redis.add(key, ['m', '']);
    await timers.settle();
    return id;
  };
  return { timers, broker, doorbell, troubles, warnings, reads, rings, listener, add };
}

test('rings for what is new in a log, and for what is redelivered', async () => {
  const { timers, doorbell, rings, listener, add } = setUp();
  doorbell.watch(listener('a'), '0-0', '0-0');
  await timers.settle();
  await add('other');
  expect(rings).toEqual([]);
  await add('a');
  expect(rings).toEqual(['a']);
  await add('a:rd');
  expect(rings).toEqual(['a', 'a']);
});

test('does not ring for what the lane has, but for what came since', async () => {
  const { timers, doorbell, rings, listener, add } = setUp();
  const first = await add('a');
  const a = listener('a');
  doorbell.watch(a, first, '0-0');
  await timers.settle();
  expect(rings).toEqual([]);
  await add('a');
  // The lane is about to fetch it: it need not be told again, and the doorbell does not turn round and round.
  await timers.advance(5_000);
  expect(rings).toEqual(['a']);
});

test('one read for all; who joins while it is under way ends it early', async () => {
  const { timers, doorbell, reads, rings, listener, add } = setUp();
  doorbell.watch(listener('a'), '5-0', '0-0');
  await timers.settle();
  doorbell.watch(listener('b'), '6-0', '1-0');
  await timers.settle();
  expect(reads).toEqual(['a a:rd 5-0 0-0', 'a b a:rd b:rd 5-0 6-0 0-0 1-0']);
  await add('b');
  expect(rings).toEqual(['b']);
});

test('who is in the read already does not disturb it', async () => {
  const { timers, doorbell, reads, listener } = setUp();
  const a = listener('a');
  doorbell.watch(a, '5-0', '0-0');
  await timers.settle();
  doorbell.watch(a, '5-0', '0-0');
  doorbell.unwatch(a);
  doorbell.watch(a, '5-0', '0-0');
  await timers.advance(500);
  expect(reads).toHaveLength(1);
});

test('reads again and again when its time is over', async () => {
  const { timers, doorbell, reads, listener } = setUp();
  doorbell.watch(listener('a'), '0-0', '0-0');
  await timers.advance(3_500);
  expect(reads).toHaveLength(4);
});

test('without anybody to tell it does not read', async () => {
  const { timers, doorbell, reads, rings, listener, add } = setUp();
  const a = listener('a');
  doorbell.watch(a, '0-0', '0-0');
  await timers.settle();
  doorbell.unwatch(a);
  await timers.advance(60_000);
  expect(reads).toHaveLength(1);
  await add('a');
  doorbell.watch(a, '0-0', '0-0');
  await timers.settle();
  expect(rings).toEqual(['a']);
});

test('who came back while the read goes on is rung for what came meanwhile', async () => {
  const { timers, doorbell, rings, listener, add } = setUp();
  const a = listener('a');
  doorbell.watch(a, '0-0', '0-0');
  await timers.settle();
  doorbell.unwatch(a);
  doorbell.watch(a, '0-0', '0-0');
  await add('a');
  expect(rings.length).toBeGreaterThanOrEqual(1);
});

test('trouble is told, and it goes on after longer and longer pauses', async () => {
  const { timers, broker, doorbell, troubles, warnings, rings, listener, add } = setUp();
  const at: number[] = [];
  broker.fate = () => {
    at.push(timers.monotonic() - 1_000);
    return { fault: 'lost' };
  };
  doorbell.watch(listener('a'), '0-0', '0-0');
  await timers.advance(350);
  expect(at).toEqual([0, 50, 150, 350]);
  expect(troubles).toEqual(at.map(() => coded('RS_REDIS_CONNECTION_LOST')));
  expect(warnings).toEqual([true, true, false, true]);
  // Nobody can say whether there is anything new: each looks for itself.
  expect(rings).toEqual(['a', 'a', 'a']);
  broker.fate = () => ({});
  await timers.advance(400);
  rings.length = 0;
  await add('a');
  await timers.settle();
  expect(rings).toEqual(['a']);
  // What went well once begins anew.
  at.length = 0;
  broker.fate = () => {
    at.push(timers.monotonic() - 1_750);
    return { fault: 'lost' };
  };
  await timers.advance(1_050);
  expect(at).toEqual([1_000, 1_050]);
});

test('a pause after trouble is not cut short by those who join', async () => {
  const { timers, broker, doorbell, reads, listener } = setUp();
  broker.fate = () => ({ fault: 'refused' });
  doorbell.watch(listener('a'), '0-0', '0-0');
  await timers.settle();
  doorbell.watch(listener('b'), '0-0', '0-0');
  await timers.settle();
  expect(reads).toHaveLength(1);
  await timers.advance(50);
  expect(reads).toHaveLength(2);
});

test('ends with close, without trouble', async () => {
  const { timers, doorbell, troubles, reads, rings, listener, add } = setUp();
  doorbell.watch(listener('a'), '0-0', '0-0');
  await timers.settle();
  doorbell.close();
  await add('a');
  await timers.advance(60_000);
  expect([troubles, reads.length, rings]).toEqual([[], 1, []]);
});

test('close ends a pause after trouble: no timer keeps the process alive', async () => {
  const { timers, broker, doorbell, listener } = setUp();
  broker.fate = () => ({ fault: 'refused' });
  doorbell.watch(listener('a'), '0-0', '0-0');
  await timers.settle();
  expect(timers.time.planned).toBe(1);
  doorbell.close();
  await timers.settle();
  expect(timers.time.planned).toBe(0);
});
