import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../../test-support/error-of.ts';
import { MapAsyncRun } from '../../test-support/map-async-run.ts';
import { pathOf } from '../../test-support/path-of.ts';
import { turn } from '../../test-support/turn.ts';
import { OrderCounter } from '../../driver/batched/order.ts';
import { itemReceiver } from '../stream-item.ts';
import { Gate } from '../gate.ts';

const state = ({ task }: MapAsyncRun) => ({ pending: task.pending, attention: task.attention });
const free = { pending: false, attention: false };
const busy = { pending: true, attention: true };

/** Whether everything that was under way has been sent on. */
async function isDrained(run: MapAsyncRun): Promise<boolean> {
  let drained = false;
  void run.task.drained().then(() => (drained = true));
  await turn();
  return drained;
}

describe('results', () => {
  test('keep timestamp and key, and come in the order of the records', async () => {
    const run = new MapAsyncRun().feed(['a', 1], ['b', 2], ['c', 3]);
    await run.answer('b', 'c');
    expect(run.out.trace).toEqual([]);
    await run.answer('a');
    expect(run.out.trace).toEqual(['A@1', 'B@2', 'C@3']);
    expect(run.out.keys).toEqual(['key of a', 'key of b', 'key of c']);
  });

  test('come as they are there when the order does not matter', async () => {
    const run = new MapAsyncRun({ ordered: false }).feed(['a', 1], ['b', 2], ['c', 3]);
    await run.answer('c', 'a', 'b');
    expect(run.out.trace).toEqual(['C@3', 'A@1', 'B@2']);
    expect(run.out.keys).toEqual(['key of c', 'key of a', 'key of b']);
  });

  test('of a function that returns values come in order, one after the other', async () => {
    const run = new MapAsyncRun({ fn: (value) => `${value}!` }).feed(['a', 1], ['b', 2]);
    run.operator.watermark(2);
    run.operator.end();
    await run.task.drained();
    expect(run.out.trace).toEqual(['a!@1', 'b!@2', 'w2', 'end']);
  });

  test('of nothing are results too', async () => {
    const run = new MapAsyncRun({ fn: () => undefined as never }).feed(['a', 1]);
    await run.task.drained();
    expect(run.out.records).toEqual([[undefined, 1]]);
  });
});

describe('watermarks, status and end', () => {
  test('go through at once when nothing is under way', () => {
    const run = new MapAsyncRun();
    run.operator.watermark(5);
    run.operator.status(true);
    run.operator.status(false);
    run.operator.end();
    expect(run.out.trace).toEqual(['w5', 'idle', 'active', 'end']);
  });

  test.each([true, false])('wait for what came before them (ordered: %p)', async (ordered) => {
    const run = new MapAsyncRun({ ordered }).feed(['a', 1], ['b', 2]);
    run.operator.watermark(2);
    run.operator.status(true);
    run.operator.status(false);
    run.feed(['c', 3]);
    run.operator.end();
    await run.answer('c', 'a');
    expect(run.out.trace).toEqual(['A@1']);
    await run.answer('b');
    expect(run.out.trace).toEqual(['A@1', 'B@2', 'w2', 'idle', 'active', 'C@3', 'end']);
    expect(await isDrained(run)).toBe(true);
  });

  test('unordered results change places only between two of them', async () => {
    const run = new MapAsyncRun({ ordered: false, concurrency: 9 });
    run.feed(['a', 1], ['b', 2]).operator.watermark(2);
    run.feed(['c', 3], ['d', 4]).operator.watermark(4);
    run.feed(['e', 5], ['f', 6]);
    await run.answer('f', 'd', 'b', 'e', 'c', 'a');
    expect(run.out.trace).toEqual(['B@2', 'A@1', 'w2', 'D@4', 'C@3', 'w4', 'F@6', 'E@5']);
  });

  test('cannot be sent past the operator', () => {
    expect('watermarkTarget' in new MapAsyncRun().operator).toBe(false);
  });
});

describe('the limit', () => {
  test.each([true, false])('records wait only while it is reached (ordered: %p)', async (ordered) => {
    const run = new MapAsyncRun({ ordered, concurrency: 2 }).feed(['a', 1]);
    expect(state(run)).toEqual(free);
    run.feed(['b', 2]);
    expect(state(run)).toEqual(busy);
    await run.answer('a');
    expect(state(run)).toEqual(free);
    expect(await isDrained(run)).toBe(false);
    await run.answer('b');
    expect(state(run)).toEqual(free);
    expect(await isDrained(run)).toBe(true);
  });

  test('is 1: one record after the other', async () => {
    const run = new MapAsyncRun({ concurrency: 1 }).feed(['a', 1], ['b', 2]);
    expect([run.called(), state(run)]).toEqual([['a'], busy]);
    await run.answer('a');
    expect([run.called(), state(run), run.out.trace]).toEqual([['a', 'b'], busy, ['A@1']]);
    await run.answer('b');
    expect([state(run), run.out.trace]).toEqual([free, ['A@1', 'B@2']]);
  });

  test('results that wait for earlier ones count: memory is bounded', async () => {
    const run = new MapAsyncRun({ concurrency: 2 }).feed(['a', 1], ['b', 2], ['c', 3]);
    await run.answer('b');
    expect([run.called(), state(run)]).toEqual([['a', 'b'], busy]);
    await run.answer('a');
    expect([run.called(), state(run)]).toEqual([['a', 'b', 'c'], free]);
  });

  test.each([true, false])('what comes nevertheless waits in order (ordered: %p)', async (ordered) => {
    const run = new MapAsyncRun({ ordered, concurrency: 2 }).feed(['a', 1], ['b', 2], ['c', 3]);
    run.operator.watermark(3);
    run.feed(['d', 4]);
    run.operator.status(true);
    run.operator.end();
    expect(run.called()).toEqual(['a', 'b']);
    await run.answer('a');
    expect(run.called()).toEqual(['a', 'b', 'c']);
    await run.answer('b');
    expect(run.called()).toEqual(['a', 'b', 'c', 'd']);
    await run.answer('d');
    expect(run.out.trace).toEqual(['A@1', 'B@2']);
    await run.answer('c');
    expect(run.out.trace).toEqual(['A@1', 'B@2', 'C@3', 'w3', 'D@4', 'idle', 'end']);
    expect([state(run), await isDrained(run)]).toEqual([free, true]);
  });

  test.each([true, false])('holds for 100,000 waiting records (ordered: %p)', async (ordered) => {
    let running = 0;
    let most = 0;
    const run = new MapAsyncRun({
      ordered,
      concurrency: 8,
      fn: async (value) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        return value;
      },
    });
    for (let i = 0; i < 100_000; i++) run.operator.record(String(i), i, undefined);
    run.operator.end();
    await run.task.drained();
    expect([most, run.out.records.length, run.out.trace.at(-1)]).toEqual([8, 100_000, 'end']);
    expect(run.scheduler.breaths).toBeGreaterThan(100); // Timers and signals had their turn meanwhile.
    const numbers = run.out.records.map(([, timestamp]) => timestamp);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test('a record that waits for its next attempt is under way', async () => {
    const run = new MapAsyncRun({
      concurrency: 1,
      retry: { attempts: 2, delay: 100, maxDelay: 100, retryIf: () => true },
    }).feed(['a', 1], ['b', 2]);
    run.call('a').reject(new Error('busy'));
    await turn();
    expect([run.called(), state(run)]).toEqual([['a'], busy]);
    await run.scheduler.advance(50);
    expect(run.called()).toEqual(['a', 'a']);
    await run.answer('a');
    expect(run.called()).toEqual(['a', 'a', 'b']);
  });
});

describe('what comes behind it', () => {
  test('may make the task wait: that is not forgotten when there is room again', async () => {
    const run = new MapAsyncRun(
      { concurrency: 1 },
      {
        out: (task) => {
          const sink = new Gate(task, 'sink');
          const nothing = () => undefined;
          return itemReceiver(() => sink.suspend(new Promise(nothing), nothing));
        },
      },
    ).feed(['a', 1]);
    await run.answer('a');
    expect(state(run)).toEqual(busy);
  });

  test('has been given a result before the record counts as done', async () => {
    const run = new MapAsyncRun();
    const seen: number[] = [];
    run.task.onChange(() => seen.push(run.out.records.length));
    await run.feed(['a', 1], ['b', 2]).answer('b', 'a');
    expect(seen).toEqual([1, 2]);
  });

  test('may fail: nothing else is sent', async () => {
    const run = new MapAsyncRun();
    run.out.record = () => {
      throw new Error('downstream');
    };
    run.feed(['a', 1], ['b', 2]);
    run.operator.watermark(2);
    await run.answer('b', 'a');
    expect(() => run.task.throwFailure()).toThrow('downstream');
    expect(run.out.trace).toEqual([]);
  });

  test('may stop the run: what it was given last is the last', async () => {
    const run = new MapAsyncRun();
    const record = run.out.record.bind(run.out);
    run.out.record = (value, timestamp) => {
      record(value, timestamp);
      run.task.stop();
    };
    run.feed(['a', 1], ['b', 2]);
    run.operator.end();
    await run.answer('b', 'a');
    expect(run.out.trace).toEqual(['A@1']);
  });
});

describe('a failure', () => {
  test('ends the run, with the operator’s name; the other calls are given up', async () => {
    const run = new MapAsyncRun().feed(['a', 1], ['b', 2], ['c', 3]);
    const cause = new Error('boom');
    run.call('b').reject(cause);
    await turn();
    const error = errorOf(() => run.task.throwFailure());
    expect([error.code, error.message, error.cause, error.details]).toEqual([
      'RS_USER_FUNCTION_FAILED',
      "mapAsync 'ask' failed: boom",
      cause,
      { operator: "mapAsync 'ask'" },
    ]);
    expect([run.call('a'), run.call('b'), run.call('c')].map(({ signal }) => signal.aborted)).toEqual([
      true,
      false,
      true,
    ]);
    await run.answer('a', 'c');
    expect(run.out.trace).toEqual([]);
  });

  test('comes when the attempts are used up', async () => {
    const run = new MapAsyncRun({
      retry: { attempts: 2, delay: 100, maxDelay: 100, retryIf: () => true },
    }).feed(['a', 1]);
    run.call('a').reject(new Error('first'));
    await run.scheduler.advance(50);
    expect(run.task.failed).toBe(false);
    run.call('a').reject(new Error('second'));
    await turn();
    expect(() => run.task.throwFailure()).toThrow("mapAsync 'ask' failed: second");
  });

  test('of a time-out is its own', async () => {
    const run = new MapAsyncRun({ timeout: 500 }).feed(['a', 1], ['b', 2]);
    await run.scheduler.advance(500);
    const error = errorOf(() => run.task.throwFailure());
    expect([error.code, error.retriable, error]).toEqual([
      'RS_ASYNC_TIMEOUT',
      true,
      run.call('a').signal.reason,
    ]);
    expect(run.scheduler.pending).toBe(0);
  });

  test('in a run that cannot wait: the first record is refused, and nothing is called', () => {
    const run = new MapAsyncRun({}, { mode: 'sync' });
    run.operator.watermark(1);
    const error = errorOf(() => run.feed(['a', 1]));
    expect([error.code, error.details]).toEqual(['RS_ASYNC_IN_EAGER_RUN', { operator: "mapAsync 'ask'" }]);
    expect(error.message).toContain("mapAsync 'ask' is asynchronous");
    expect([run.called(), run.out.trace, run.task.failed]).toEqual([[], ['w1'], true]);
  });
});

describe('after a stop', () => {
  test('nothing is called or sent any more, and no timer is left', async () => {
    const run = new MapAsyncRun({ concurrency: 2, timeout: 500 }).feed(['a', 1], ['b', 2], ['c', 3]);
    run.operator.watermark(3);
    run.task.stop();
    expect(run.calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(run.scheduler.pending).toBe(0);
    await run.answer('b', 'a');
    expect([run.called(), run.out.trace, run.task.failed]).toEqual([['a', 'b'], [], false]);
  });
});

describe('after a rewind', () => {
  test.each([true, false])('everything begins anew (ordered: %p)', async (ordered) => {
    const run = new MapAsyncRun({ ordered, concurrency: 2, timeout: 500 });
    run.feed(['a', 1], ['b', 2], ['c', 3]).operator.watermark(3);
    const earlier = [...run.calls];
    await run.answer('b');
    const sent = run.out.trace.length;
    run.task.rewind();
    expect([state(run), run.scheduler.pending, await isDrained(run)]).toEqual([free, 0, true]);
    expect(earlier[0]?.signal.reason).toMatchObject({ code: 'RS_CLOSED' });

    run.feed(['a', 1]);
    expect(state(run)).toEqual(free);
    run.feed(['b', 2], ['c', 3]).operator.watermark(3);
    expect(state(run)).toEqual(busy);
    earlier[0]?.reject(new Error('stale'));
    await run.answer('a', 'b', 'c');
    expect(run.out.trace.slice(sent)).toEqual(['A@1', 'B@2', 'C@3', 'w3']);
    expect([state(run), run.task.failed, await isDrained(run)]).toEqual([free, false, true]);
  });
});

describe('for a driver that keeps places', () => {
  test('each item goes on at its own, and results keep their order', async () => {
    const places = new OrderCounter();
    const sent: unknown[] = [];
    const out = () => itemReceiver((item) => sent.push([item.type, pathOf(places.reserve())]));
    const run = new MapAsyncRun({ ordered: false, concurrency: 2 }, { places, out });
    places.begin(7);
    run.feed(['a', 1], ['b', 2]).operator.watermark(2);
    run.feed(['c', 3]);
    places.begin(8);
    run.operator.end();
    await run.answer('b', 'a', 'c');
    expect(sent).toEqual([
      ['record', [7, 0, 0]],
      ['record', [7, 1, 0]],
      ['watermark', [7, 2, 0]],
      ['record', [7, 3, 0]],
      ['end', [8, 0, 0]],
    ]);
  });
});
