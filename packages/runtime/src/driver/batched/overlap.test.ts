import { describe, expect, test } from '@jest/globals';
import { isRsError, largeMapState, valueState } from '@rs/core';
import { collected } from '../../test-support/collected.ts';
import { Deferred } from '../../test-support/deferred.ts';
import type { Event } from '../../test-support/job-catalogue.ts';
import { Overlapped, record, sums } from '../../test-support/overlapped-driver.ts';
import { turn } from '../../test-support/turn.ts';
import type { HarnessJob } from '../../testing/index.ts';
import type { InputItem } from './input-item.ts';

/** What became of a promise so far. */
function stateOf(promise: Promise<unknown>): () => string {
  let state = 'pending';
  promise.then(
    () => (state = 'done'),
    (error: unknown) => (state = isRsError(error) ? error.code : String(error)),
  );
  return () => state;
}

describe('a commit on its way', () => {
  test('is not waited for, but the next one is not handed over before it is answered', async () => {
    const run = new Overlapped();
    const answered = new Deferred();
    run.fates.push({ answered: () => answered.promise });
    const driver = await run.open(sums);
    await driver.process([record(1)]);
    expect([driver.position, driver.seq]).toEqual([1, 1]);
    const second = stateOf(driver.process([record(2)]));
    await turn();
    expect([second(), run.handedOver]).toEqual(['pending', [1]]);
    answered.resolve();
    await turn();
    expect([second(), run.handedOver, run.values]).toEqual(['done', [1, 2], [1, 3]]);
  });

  test('is what flush waits for', async () => {
    const run = new Overlapped();
    const arrives = new Deferred();
    run.fates.push({ arrives: () => arrives.promise });
    const driver = await run.open(sums);
    await driver.process([record(1)]);
    const flushed = stateOf(driver.flush());
    await turn();
    expect([flushed(), run.values]).toEqual(['pending', []]);
    arrives.resolve();
    await turn();
    expect([flushed(), run.values]).toEqual(['done', [1]]);
    await driver.flush(); // Nothing is on its way: it resolves at once.
  });

  test('holds what values were when it was handed over', async () => {
    const run = new Overlapped();
    const arrives = new Deferred();
    run.fates.push({ arrives: () => arrives.promise });
    const kept: { n: number }[] = [];
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .map(({ amount }) => {
          for (const one of kept) one.n = -1;
          const made = { n: amount };
          kept.push(made);
          return made;
        })
        .addSink(() => undefined);
    });
    await driver.process([record(1)]);
    const second = driver.process([record(2)]);
    await turn();
    arrives.resolve();
    await second;
    await driver.flush();
    expect(run.values).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('keeps in memory what it changes, also what it deletes, however little may stay there', async () => {
    const state = valueState<number>('n');
    const run = new Overlapped();
    const driver = await run.open(
      (env) => {
        const keyed = env.input<Event>().keyBy(({ key }) => key);
        const held = keyed.getState(state);
        keyed
          .process<unknown>((_key, { amount }, _ctx, out) => {
            out.collect(held.value() ?? 'none');
            held.update(amount === 0 ? undefined : amount);
          })
          .addSink(() => undefined);
      },
      { cachedBytes: 0 },
    );
    await driver.process([record(1)]);
    await driver.process([record(2)]);
    expect(run.reads).toEqual([]); // Nothing was stored before, and the second batch finds what is on its way.
    const arrives = new Deferred();
    run.fates.push({ arrives: () => arrives.promise });
    await driver.process([record(0)]);
    const after = driver.process([record(3)]);
    await turn();
    arrives.resolve();
    await after;
    await driver.flush();
    expect(run.values).toEqual(['none', 1, 2, 'none']);
    expect(run.reads).toEqual([]);
    await driver.process([record(4)]);
    expect(run.reads).toEqual(['s:k']); // Nothing was on its way any more.
    await driver.flush();
    expect(run.values).toEqual(['none', 1, 2, 'none', 3]);
  });

  test('a task that begins with nothing reads nothing, until it has forgotten something', async () => {
    const run = new Overlapped();
    const driver = await run.open(sums, { cachedBytes: Infinity });
    for (const amount of [1, 2, 3]) await driver.process([record(amount)]);
    await driver.flush();
    expect([run.values, run.reads]).toEqual([[1, 3, 6], []]);
    const next = await run.open(sums, { cachedBytes: Infinity });
    for (const amount of [4, 5]) await next.process([record(amount)]);
    await next.flush();
    expect([run.values, run.reads]).toEqual([[1, 3, 6, 10, 15], ['s:k']]);
  });

  test('is waited for before a failed batch is undone', async () => {
    const run = new Overlapped();
    const arrives = new Deferred();
    run.fates.push({ arrives: () => arrives.promise });
    const driver = await run.open(sums, { cachedBytes: Infinity });
    await driver.process([record(1)]);
    const failing = stateOf(driver.process([record(10), record(-1)]));
    await turn();
    expect(failing()).toBe('pending');
    arrives.resolve();
    await turn();
    expect(failing()).toBe('RS_USER_FUNCTION_FAILED');
    expect(driver.position).toBe(2);
    await driver.process([record(100)]);
    await driver.flush();
    expect(run.values).toEqual([1, 11, 111]);
  });
});

describe('elements of large maps', () => {
  const map = largeMapState<string, number>('map');
  const job =
    (read: unknown[]): HarnessJob =>
    (env) => {
      const keyed = env.input<string>().keyBy(() => 'k');
      keyed.getLargeMapState(map);
      keyed
        .process<unknown>(async (_key, command, ctx) => {
          const held = ctx.state(map);
          const letter = command.slice(-1);
          if (command.startsWith('+')) held.put(letter, letter.charCodeAt(0));
          else if (command.startsWith('-')) held.remove(letter);
          else if (command.startsWith('0')) held.clear();
          else if (command.startsWith('?')) read.push((await held.get(letter)) ?? 'none');
          else read.push((await collected(held.keys())).join(''));
        })
        .addSink(() => undefined);
    };
  const commands = (...all: readonly string[]): InputItem[] =>
    all.map((value) => ({ type: 'record', input: 0, value, timestamp: 0 }));

  test.each([0, Infinity])(
    'are read while a commit that changes others is on its way (%d bytes cached)',
    async (cachedBytes) => {
      const run = new Overlapped();
      const read: unknown[] = [];
      const driver = await run.open(job(read), { cachedBytes });
      await driver.process(commands('+a', '+b', '+c'));
      await driver.flush();
      const arrives = new Deferred();
      run.fates.push({ arrives: () => arrives.promise });
      await driver.process(commands('+d', '-a'));
      const reading = driver.process(commands('?a', '?b', '*'));
      await turn();
      expect([read, run.handedOver]).toEqual([
        ['none', 98, 'bcd'],
        [1, 2],
      ]);
      arrives.resolve();
      await reading;
      await driver.flush();
    },
  );

  test.each([0, Infinity])(
    'that are removed after the map was cleared by the commit before are gone (%d bytes cached)',
    async (cachedBytes) => {
      const run = new Overlapped();
      const read: unknown[] = [];
      const driver = await run.open(job(read), { cachedBytes });
      await driver.process(commands('+a', '+b'));
      await driver.process(commands('0', '+c', '+d'));
      await driver.process(commands('-c', '?a', '*'));
      await driver.process(commands('*', '+a', '0', '+e'));
      await driver.process(commands('-e', '*'));
      await driver.flush();
      expect(read).toEqual(['none', 'd', 'd', '']);
      expect(run.backend.cells()).toEqual([]);
    },
  );
});
