import { describe, expect, test } from '@jest/globals';
import { type KeyedProcessFunction, largeMapState, silentLogger } from '@rs/core';
import { planTopology, type Stage } from '../../graph/topology.ts';
import type { CellAddress, StoredCell } from '../../state/stored.ts';
import { committedBefore } from '../../test-support/committed-before.ts';
import { turn } from '../../test-support/turn.ts';
import { CommitLogBackend, graphOf, type HarnessEnvironment } from '../../testing/index.ts';
import { systemScheduler } from '../../time/scheduler.ts';
import type { StateBackend } from './backend.ts';
import { BatchedDriver } from './batched-driver.ts';
import type { BatchedOptions } from './batched-options.ts';
import type { InputItem } from './input-item.ts';

const MAP = largeMapState<string, number>('map');

const options: BatchedOptions = {
  clock: { now: () => 0 },
  scheduler: systemScheduler,
  processingTime: 'records',
  logger: silentLogger,
  cachedBytes: 0,
  attempts: 2,
};

type Fn = KeyedProcessFunction<string, string, string>;

/** A driver for one process function behind a keyBy, or for what `define` declares. */
function open(backend: StateBackend, fn: Fn['processElement'], given: Partial<BatchedOptions> = {}) {
  return openJob(
    backend,
    (env) => {
      const keyed = env.input<string>().keyBy(() => 'k');
      keyed.getLargeMapState(MAP);
      keyed.process(fn).addSink(() => undefined);
    },
    given,
  );
}

function openJob(
  backend: StateBackend,
  define: (env: HarnessEnvironment) => void,
  given: Partial<BatchedOptions> = {},
) {
  const topology = planTopology(graphOf(define), () => 1);
  const place = { topology, stage: topology.stages[0] as Stage, partition: 0 };
  return BatchedDriver.open(place, backend, { ...options, ...given });
}

const records = (...values: readonly string[]): InputItem[] =>
  values.map((value, timestamp) => ({ type: 'record', input: 0, value, timestamp }));

/** A backend whose map of the key `k` has the letters. */
async function stored(letters: string): Promise<CommitLogBackend> {
  const backend = new CommitLogBackend();
  const driver = await open(backend.acquire(), (_key, letter, ctx) => {
    ctx.state(MAP).put(letter, letter.charCodeAt(0));
  });
  await driver.process(records(...letters));
  driver.close();
  return backend;
}

const values = (backend: CommitLogBackend) => backend.outputs().map(({ value }) => value);

describe('elements of a large map', () => {
  test('are read when they are asked for, all of one turn in one call', async () => {
    const backend = await stored('abc');
    const owner = backend.acquire();
    const calls: string[] = [];
    const driver = await open(
      {
        ...owner,
        read: (addresses) => {
          calls.push(addresses.map(({ namespace }) => namespace).join());
          return owner.read(addresses);
        },
        scan: (address, after, limit) => {
          calls.push(`scan after ${after ?? 'nothing'}`);
          return owner.scan(address, after, limit);
        },
      },
      async (_key, text, ctx, out) => {
        const map = ctx.state(MAP);
        if (text === '') return out.collect(String(await map.isEmpty()));
        const found = await Promise.all([...text].map((letter) => map.get(letter)));
        out.collect(found.join());
      },
    );
    const before = backend.commits().length;
    await driver.process(records('', 'ab', 'b', 'ax'));
    expect(calls).toEqual(['scan after nothing', 's:a,s:b', 's:x']);
    expect(backend.commits().slice(before)).toMatchObject([{ cells: [] }]);
    expect(values(backend)).toEqual(['false', '97,98', '98', '97,']);
    calls.length = 0;
    await driver.process(records('b')); // Nothing is cached between batches.
    expect(calls).toEqual(['s:b']);
  });

  test('are committed with the batch that changed them', async () => {
    const backend = await stored('abc');
    const driver = await open(backend.acquire(), (_key, text, ctx) => {
      const map = ctx.state(MAP);
      if (text === 'clear') map.clear();
      else map.put(text, 1);
    });
    await driver.process(records('x', 'clear', 'y'));
    expect(backend.commits().at(-1)?.cells).toMatchObject([
      { op: 'clear', address: { key: 's:k' } },
      { op: 'put', address: { namespace: 's:y' } },
    ]);
    expect(backend.cells()).toHaveLength(1);
  });
});

describe('a backend that fails to read an element', () => {
  const broken = new Error('connection lost');

  test.each(['read', 'scan'] as const)(
    'fails the batch with its error, even if the function catches it: %s',
    async (method) => {
      const backend = await stored('abcdef');
      const owner = backend.acquire();
      let fails = true;
      let calls = 0;
      const driver = await open(
        {
          ...owner,
          read: (...asked) => (fails && method === 'read' ? Promise.reject(broken) : owner.read(...asked)),
          scan: (...asked) => (fails && method === 'scan' ? Promise.reject(broken) : owner.scan(...asked)),
        },
        async (_key, text, ctx, out) => {
          calls++;
          const map = ctx.state(MAP);
          try {
            let sum = 0;
            if (method === 'scan') for await (const value of map.values()) sum += value;
            else sum = (await map.get(text)) ?? 0;
            out.collect(`${text}${sum}`);
          } catch {
            map.put(text, -1); // Hides the failure; it must have no effect.
            out.collect('hidden');
          }
        },
      );
      const commits = backend.commits().length;
      await expect(driver.process(records('a', 'b'))).rejects.toBe(broken);
      // It is no failure of a record: nothing is tried again one by one.
      expect([calls, backend.commits().length]).toEqual([1, commits]);
      fails = false;
      await driver.process(records('a', 'b'));
      expect(values(backend)).toEqual(method === 'read' ? ['a97', 'b98'] : ['a597', 'b597']);
    },
  );
});

test('a function that fails after the backend did is a failing function again', async () => {
  const backend = await stored('ab');
  const owner = backend.acquire();
  let reads = 0;
  const driver = await open(
    {
      ...owner,
      read: (addresses) => (++reads === 1 ? Promise.reject(new Error('lost')) : owner.read(addresses)),
    },
    async (_key, text, ctx, out) => {
      out.collect(`${text}${await ctx.state(MAP).get(text)}`);
      if (reads === 2) throw new Error('boom');
    },
  );
  await expect(driver.process(records('a', 'b'))).rejects.toThrow('lost');
  await driver.process(records('a', 'b')); // The records are tried one by one.
  expect(values(backend)).toEqual(['a97', 'b98']);
});

/** A backend whose reads of elements a test answers. */
function answered(owner: StateBackend) {
  const asked: { answer(cell: StoredCell | undefined): void; fail(error: unknown): void }[] = [];
  const backend: StateBackend = {
    ...owner,
    read: async (addresses: readonly CellAddress[]) => {
      const cell = await new Promise<StoredCell | undefined>((answer, fail) => asked.push({ answer, fail }));
      return addresses.map(() => cell);
    },
  };
  return { backend, asked };
}

/** Waits for what must come without any real time. */
async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 50 && !holds(); turns++) await turn();
  expect(holds()).toBe(true);
}

const stale: StoredCell = { layout: 'value', data: '-1', version: 1 };

describe('while an element is read', () => {
  test.each(['answered', 'failed'])('a rewind makes it void, also when it is %s later', async (how) => {
    const log = new CommitLogBackend();
    const { backend, asked } = answered(committedBefore(log.acquire()));
    let tries = 0;
    const driver = await openJob(backend, (env) => {
      const keyed = env.input<string>().keyBy(() => 'k');
      const map = keyed.getLargeMapState(MAP);
      keyed
        .process<string>(async (_key, text, ctx, out) => {
          const first = await map.get(text);
          out.collect(`${text} ${first ?? 'nothing'} ${(await ctx.state(MAP).get(text)) ?? 'nothing'}`);
        })
        .addSink(() => undefined);
      // A second operation on the same record, while the first one waits.
      keyed
        .process<string>(() => {
          if (++tries === 1) throw new Error('boom');
        })
        .addSink(() => undefined);
    });
    const processing = driver.process(records('a'));
    await until(() => asked.length === 2);
    if (how === 'answered') asked[0]?.answer(stale);
    else asked[0]?.fail(new Error('connection lost'));
    await turn();
    asked[1]?.answer(undefined);
    await processing;
    expect([values(log), tries, asked.length]).toEqual([['a nothing nothing'], 2, 2]);
  });

  test('a close ends it: nothing is committed, and the function can do nothing any more', async () => {
    const log = new CommitLogBackend();
    const { backend, asked } = answered(committedBefore(log.acquire()));
    const seen: unknown[] = [];
    const driver = await open(backend, async (_key, text, ctx) => {
      const map = ctx.state(MAP);
      seen.push(await map.get(text).catch((error: unknown) => error));
      map.put(text, 1);
    });
    const processing = driver.process(records('a'));
    await until(() => asked.length === 1);
    driver.close();
    asked[0]?.answer(stale);
    await expect(processing).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await turn();
    expect([seen, log.commits()]).toMatchObject([[{ code: 'RS_CONTEXT_CLOSED' }], []]);
  });

  test('that nobody awaits, its answer is none, and its failure fails nothing', async () => {
    for (const how of ['answered', 'failed']) {
      const log = new CommitLogBackend();
      const { backend, asked } = answered(committedBefore(log.acquire()));
      const driver = await open(backend, (_key, text, ctx, out) => {
        if (text === 'a') void ctx.state(MAP).get(text);
        out.collect(text);
      });
      await driver.process(records('a'));
      if (how === 'answered') asked[0]?.answer(stale);
      else asked[0]?.fail(new Error('connection lost'));
      await turn();
      await driver.process(records('b'));
      expect([values(log), log.commits().flatMap(({ cells }) => cells)]).toEqual([['a', 'b'], []]);
    }
  });
});
