import { expect, test } from '@jest/globals';
import type { CommitBatch, StoredCell } from '@rs/runtime';
import { CommitLogBackend } from '@rs/runtime/testing';
import { useRedis } from '@rs/redis-server/jest';
import fc from 'fast-check';
import { newCommit } from '../test-support/new-commit.ts';
import {
  collectionAt,
  elementAt,
  KEYS,
  NAMES,
  NAMESPACES,
  randomBatch,
  type RandomBatch,
  valueAt,
} from '../test-support/random-batch.ts';
import { LONG, type StoreBench, useStore } from '../test-support/use-store.ts';
import { cellField } from './cell-field.ts';
import type { PreparedCommit } from './prepare-commit.ts';
import type { TaskStore } from './task-store.ts';

const bench = useStore(useRedis());

/** What happens around a commit. */
type Fault =
  'none' | 'resent' | 'forgotten script' | 'new owner' | 'old commit' | 'missing commit' | 'stale owner';

const step = fc.record({
  batch: randomBatch,
  fault: fc.constantFrom<Fault>(
    'none',
    'none',
    'resent',
    'forgotten script',
    'new owner',
    'old commit',
    'missing commit',
    'stale owner',
  ),
});

test(
  'commits do what the kernel’s model of a backend does, whatever happens around them',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.constantFrom(1, 3),
        async (steps, stateShards) => {
          const run = new ModelRun(bench, stateShards);
          await run.begin();
          for (const { batch, fault } of steps) await run.step(batch, fault);
          await run.compare();
        },
      ),
      { numRuns: 150 },
    );
  },
  LONG,
);

/** The same commits on Redis and on the model. */
class ModelRun {
  readonly #bench: StoreBench;
  readonly #model = new CommitLogBackend();
  readonly #place;
  #owner = this.#model.acquire();
  #store: TaskStore | undefined;
  #seq = 0;
  #last: PreparedCommit | undefined;

  constructor(bench: StoreBench, stateShards: number) {
    this.#bench = bench;
    this.#place = bench.place({ stateShards });
  }

  async begin(): Promise<void> {
    this.#store = (await this.#bench.acquire(this.#place)).store;
  }

  get #current(): TaskStore {
    if (this.#store === undefined) throw new Error('begin comes first');
    return this.#store;
  }

  async step(batch: RandomBatch, fault: Fault): Promise<void> {
    const stale = { store: this.#current, owner: this.#owner };
    if (fault === 'new owner' || fault === 'stale owner') {
      if (fault === 'new owner') await this.#current.release();
      else await this.#bench.redis.hset(this.#current.keys.own, 'until', 0);
      await this.begin();
      this.#owner = this.#model.acquire();
    }
    if (fault === 'forgotten script') await this.#bench.redis.script('FLUSH');
    if (fault === 'stale owner') {
      const reply = await stale.store.commit(this.#prepare(stale.store, this.#seq + 1, batch));
      expect(reply).toBe(await stale.owner.commit(asBatch(this.#seq + 1, batch)));
      expect(reply).toBe('FENCED');
      await expect(stale.store.read([valueAt('s:a', '')])).rejects.toMatchObject({ code: 'RS_LEASE_LOST' });
    }
    if (fault === 'missing commit') {
      await this.#commit(this.#seq + 2, batch, 'SEQ');
    }
    if (fault === 'old commit' && this.#seq >= 1) await this.#commit(this.#seq - 1, batch, 'SEQ');
    await this.#commit(this.#seq + 1, batch, 'OK');
    this.#seq += 1;
    if (fault === 'resent' && this.#last !== undefined) {
      expect(await this.#current.commit(this.#last)).toBe('DUP');
    }
  }

  async #commit(seq: number, batch: RandomBatch, expected: string): Promise<void> {
    const prepared = this.#prepare(this.#current, seq, batch);
    const reply = await this.#current.commit(prepared);
    expect(reply).toBe(expected);
    // The model counts from the first commit on; a number of a commit that nobody made is another one's in both.
    if (seq > 0) expect(await this.#owner.commit(asBatch(seq, batch))).toBe(reply);
    if (reply === 'OK') this.#last = prepared;
  }

  #prepare(store: TaskStore, seq: number, { cells, timers }: RandomBatch): PreparedCommit {
    return store.prepare(newCommit(seq, { cells, timers }));
  }

  async compare(): Promise<void> {
    await this.#compareCells();
    await this.#compareScans();
    await this.#nothingIsLeftOver();
    for (const limit of [1, 3, 100]) await this.#compareTimers(limit);
    const { lease } = await this.#reopened();
    expect(lease.stored).toMatchObject({ seq: this.#seq, count: this.#seq });
  }

  async #reopened() {
    await this.#current.release();
    return this.#bench.acquire(this.#place);
  }

  async #compareCells(): Promise<void> {
    const addresses = KEYS.flatMap((key) => [
      ...NAMESPACES.flatMap((namespace) => [valueAt(key, namespace), collectionAt(key, namespace)]),
      ...NAMES.map((name) => elementAt(key, name)),
    ]);
    const [stored, wanted] = [await this.#current.read(addresses), await this.#model.read(addresses)];
    expect(stored.map(normalized)).toEqual(wanted.map(normalized));
  }

  async #compareScans(): Promise<void> {
    for (const key of KEYS) {
      expect(await pagesOf(this.#current, key)).toEqual(await pagesOf(this.#model, key));
    }
  }

  /** Indexes name the elements that there are, and marks the collections. */
  async #nothingIsLeftOver(): Promise<void> {
    const { redis } = this.#bench;
    for (const state of ['list', 'large']) {
      const keys = this.#current.keys.state('op', state);
      let marked = 0;
      for (const shard of keys.shards) marked += await redis.hlen(shard);
      let found = 0;
      for (const field of new Set(KEYS.flatMap((key) => NAMESPACES.map((each) => cellField(key, each))))) {
        const elements = await redis.hlen(keys.collection(field));
        if (elements > 0) found += 1;
        if (state === 'large') expect(await redis.zcard(keys.index(field))).toBe(elements);
      }
      expect(marked).toBe(found);
    }
  }

  async #compareTimers(limit: number): Promise<void> {
    const queues = ['op', 'keyBy-3:received'].flatMap((operator) => [
      { operator, kind: 'event' as const },
      { operator, kind: 'processing' as const },
    ]);
    const pages = await this.#current.timers(queues, limit);
    const everything = await this.#model.timers(queues, Infinity);
    queues.forEach((_, at) => {
      const all = everything[at]?.timers ?? [];
      const { timers, more } = pages[at] ?? { timers: [], more: false };
      expect(timers).toEqual(all.slice(0, timers.length));
      expect(timers.length).toBeGreaterThanOrEqual(Math.min(limit, all.length, 1));
      if (!more) expect(timers).toHaveLength(all.length);
    });
  }
}

function asBatch(seq: number, { cells, timers }: RandomBatch): CommitBatch {
  return { seq, offset: seq, cells, timers, outputs: [], sent: [], operators: {}, late: {} };
}

/** An empty collection is the same as none, and the order of elements is in them. */
function normalized(cell: StoredCell | undefined): unknown {
  if (cell?.layout !== 'elements') return cell;
  if (cell.elements.length === 0) return undefined;
  return { ...cell, elements: [...cell.elements].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

async function pagesOf(backend: Pick<TaskStore, 'scan'>, key: string): Promise<unknown[]> {
  const cells: unknown[] = [];
  for (let after: string | undefined, more = true; more;) {
    const page = await backend.scan(elementAt(key, ''), after, 2);
    cells.push(...page.cells);
    after = page.next;
    more = after !== undefined;
  }
  return cells;
}
