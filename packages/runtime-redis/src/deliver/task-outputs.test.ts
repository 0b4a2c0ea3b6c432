import { describe, expect, test } from '@jest/globals';
import { isRsError, RsError } from '@rs/core';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { OutputWorld } from '../test-support/output-world.ts';
import type { Replicated } from './replication.ts';

describe('results outside of the slot', () => {
  test('are delivered when their commit is answered, and not before', async () => {
    const world = new OutputWorld();
    const owner = await world.acquire();
    world.commit(owner, 3, { answered: false });
    await world.timers.advance(1_000);
    expect([world.given, world.delivered().flat()]).toEqual([[], []]);
    owner.outputs.committed({ seq: 1, ops: [], cursors: world.stored.cursors });
    await world.timers.advance(1_000);
    // They were not handed over, so there is nothing to do for this owner; the next one finds them.
    const next = await world.acquire();
    await world.settle(next);
    expect([world.given, world.delivered()]).toEqual([world.committed, world.expected()]);
  });

  test('of an earlier owner are found, or that there are none, also while commits are answered', async () => {
    const world = new OutputWorld();
    const first = await world.acquire();
    world.commit(first, 3);
    await world.settle(first);
    world.commit(first, 0); // All is delivered and written down, and the out logs still have it.
    for (const count of [0, 2]) {
      const owner = await world.acquire();
      await world.timers.advance(1);
      world.commit(owner, count); // The look at the out logs is under way.
      await world.settle(owner);
      expect([world.given, world.delivered()]).toEqual([world.committed, world.expected()]);
    }
  });

  test('are given to all sinks but those that fail, which are tried again after growing pauses', async () => {
    const world = new OutputWorld({ failing: [true, true, true] });
    const owner = await world.acquire();
    world.commit(owner, 2);
    await world.timers.advance(9);
    expect(world.delivered()).toEqual(world.expected());
    expect([owner.outputs.empty, owner.outputs.undelivered()]).toEqual([false, { topic: 0, function: 2 }]);
    expect(owner.outputs.failures()).toEqual({ function: coded('RS_SINK_FAILED') });
    // Half of 10, 20 and 40 ms, as random says.
    await world.timers.advance(5 + 10 + 20 + 1);
    expect(world.given).toEqual([0, 1]);
    expect([owner.outputs.empty, owner.outputs.failures()]).toEqual([true, {}]);
  });

  test('that wait in too large a number are told, until some are delivered', async () => {
    const world = new OutputWorld({ failing: [true], maxBytes: 500 });
    const owner = await world.acquire();
    world.commit(owner, 10);
    expect(owner.outputs.full).toBe(true);
    await world.timers.advance(100);
    expect([owner.outputs.full, world.given.length]).toEqual([false, 10]);
  });

  test('of another life of the task are removed by its first commit', async () => {
    const world = new OutputWorld();
    world.redis.apply([
      { type: 'xadd', key: 'out:function', entries: [{ id: '90-0', fields: ['v', '-1'] }] },
    ]);
    const owner = await world.acquire();
    world.commit(owner, 2);
    await world.settle(owner);
    expect(world.given).toEqual([0, 1]);
  });

  test('are delivered no more once it is closed; a pause ends with it', async () => {
    const world = new OutputWorld({ failing: [true] });
    const owner = await world.acquire();
    world.commit(owner, 2);
    await world.timers.settle();
    const closed = owner.outputs.close();
    await world.timers.advance(10);
    await closed;
    world.commit(owner, 2);
    await world.timers.advance(1_000);
    expect([world.given, world.delivered().flat(), world.timers.time.planned]).toEqual([[], [0, 1], 0]);
  });

  test('move cursors, which the next commit writes', async () => {
    const world = new OutputWorld();
    const owner = await world.acquire();
    expect(owner.outputs.moved).toBe(false);
    world.commit(owner, 2);
    await world.settle(owner);
    expect([owner.outputs.moved, owner.outputs.cursors()]).toEqual([true, { topic: '1-1', function: '1-1' }]);
    world.commit(owner, 0);
    expect(owner.outputs.moved).toBe(false);
    expect(world.redis.stream('out:function')).toHaveLength(2);
    // The one after it removes what they stand for.
    world.commit(owner, 0);
    expect(world.redis.stream('out:function')).toEqual([]);
  });
});

describe('results that wait for a replica', () => {
  /** A replica that has what the test says. */
  class Replica {
    readonly #waiting = new Set<() => void>();
    #last = 0;
    #lost: RsError | undefined;

    readonly replicated: Replicated = (seq, signal) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (this.#lost !== undefined) reject(this.#lost);
          else if (seq <= this.#last) resolve();
        };
        this.#waiting.add(look);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        look();
      });

    /** It has the commits up to this one. */
    has(seq: number): void {
      this.#last = seq;
      for (const look of this.#waiting) look();
    }

    /** It has become the master without what anybody waits for. */
    lose(error: RsError): void {
      this.#lost = error;
      for (const look of this.#waiting) look();
    }
  }

  test('are delivered once it has their commit, in order; commits go on, up to the limit of what may wait', async () => {
    const replica = new Replica();
    const world = new OutputWorld({ replicated: replica.replicated, maxBytes: 1_000 });
    const owner = await world.acquire();
    world.commit(owner, 3);
    await world.timers.advance(100);
    world.commit(owner, 3);
    await world.timers.advance(1_500);
    expect([world.given, world.delivered().flat()]).toEqual([[], []]);
    expect(owner.outputs.unreplicated()).toEqual({ results: 12, waited: 1_600 });
    expect([owner.outputs.empty, owner.outputs.full, owner.outputs.failures()]).toEqual([false, false, {}]);
    world.commit(owner, 9);
    expect(owner.outputs.full).toBe(true);

    replica.has(1);
    await world.timers.advance(10);
    expect(world.given).toEqual([0, 1, 2]);
    // What was committed meanwhile is asked for at once.
    replica.has(3);
    await world.settle(owner);
    expect([world.given, world.delivered()]).toEqual([world.committed, world.expected()]);
    expect([owner.outputs.unreplicated(), owner.outputs.full]).toEqual([undefined, false]);
  });

  test('of an earlier owner wait as well: it may have died before its replica had them', async () => {
    const replica = new Replica();
    const world = new OutputWorld({ replicated: replica.replicated });
    const dead = await world.acquire();
    world.commit(dead, 4, { answered: false });
    const owner = await world.acquire();
    await world.timers.advance(1_000);
    expect([world.given, owner.outputs.unreplicated()?.results]).toEqual([[], 8]);
    replica.has(1);
    await world.settle(owner);
    expect([world.given, world.delivered()]).toEqual([world.committed, world.expected()]);
  });

  test('stay where they are when it is closed', async () => {
    const replica = new Replica();
    const world = new OutputWorld({ replicated: replica.replicated });
    const owner = await world.acquire();
    world.commit(owner, 3);
    await world.timers.advance(10);
    await owner.outputs.close();
    replica.has(1);
    await world.timers.advance(1_000);
    expect([world.given, world.delivered().flat(), owner.outputs.empty]).toEqual([[], [], false]);
    expect([owner.outputs.undelivered(), owner.fatal]).toEqual([{ topic: 3, function: 3 }, []]);
  });

  test('and whose commit is lost end the delivery', async () => {
    const replica = new Replica();
    const world = new OutputWorld({ replicated: replica.replicated });
    const owner = await world.acquire();
    world.commit(owner, 3);
    await world.timers.advance(10);
    replica.lose(new RsError('RS_LEASE_LOST', 'a failover has lost the commit'));
    await world.timers.advance(1_000);
    expect(owner.fatal).toEqual([coded('RS_LEASE_LOST'), coded('RS_LEASE_LOST')]);
    expect([world.given, world.delivered().flat()]).toEqual([[], []]);
  });

  test('are not asked for again when their sink has failed', async () => {
    const replica = new Replica();
    const world = new OutputWorld({ replicated: replica.replicated, failing: [true, true] });
    const owner = await world.acquire();
    world.commit(owner, 2);
    await world.timers.advance(1);
    replica.has(1);
    await world.timers.advance(100);
    expect([world.given, owner.outputs.empty]).toEqual([[0, 1], true]);
  });
});

describe('a topic that went back to an earlier state', () => {
  test('is given again what the out log still has', async () => {
    const world = new OutputWorld();
    const owner = await world.acquire();
    world.commit(owner, 9);
    await world.settle(owner);
    world.loseTopic(2);
    world.commit(owner, 9);
    await world.settle(owner);
    expect(world.delivered()).toEqual(world.expected());
    expect(owner.fatal).toEqual([]);
  });

  test('and has lost what no out log has any more, ends the delivery', async () => {
    const world = new OutputWorld();
    const owner = await world.acquire();
    world.commit(owner, 9);
    await world.settle(owner);
    world.commit(owner, 0);
    world.commit(owner, 0); // Trims the out log.
    world.loseTopic(2);
    world.commit(owner, 9);
    await world.timers.advance(1_000);
    expect(owner.fatal).toEqual([coded('RS_LOG_ROLLED_BACK')]);
    // The other sink goes on.
    expect(world.given).toEqual(world.committed);
  });

  test("is left as it is with onRollback: 'continue'", async () => {
    const world = new OutputWorld({ onRollback: 'continue' });
    const owner = await world.acquire();
    world.commit(owner, 9);
    await world.settle(owner);
    world.commit(owner, 0);
    world.commit(owner, 0);
    world.loseTopic(2);
    world.commit(owner, 9);
    await world.settle(owner);
    expect(world.delivered().map((values) => values.length)).toEqual(
      world.expected().map((values) => values.length - 2),
    );
  });
});

describe('a task that went back to an earlier state', () => {
  async function rolledBack(onRollback: 'halt' | 'continue'): Promise<OutputWorld> {
    const world = new OutputWorld({ onRollback });
    const owner = await world.acquire();
    world.commit(owner, 3);
    const backup = world.backup();
    world.commit(owner, 6);
    await world.settle(owner);
    await owner.outputs.close();
    world.restore(backup);
    return world;
  }

  test('is not opened: the topic has results that it does not remember', async () => {
    const world = await rolledBack('halt');
    const error = await rejectionOf(world.acquire(), 'RS_LOG_ROLLED_BACK');
    expect(error.details).toMatchObject({ topic: 'results', partitions: [0, 1, 2], seq: 1 });
  });

  test("goes on in a new history with onRollback: 'continue', once that is written down", async () => {
    const world = await rolledBack('continue');
    const before = world.delivered();
    const owner = await world.acquire();
    expect(owner.outputs.cursors()['topic']).toBe('0-0 g1');
    expect(owner.outputs.moved).toBe(true);
    await world.timers.advance(1_000);
    expect(world.delivered()).toEqual(before);
    world.commit(owner, 6);
    await world.settle(owner);
    // What the topic has of the first commit is not sent again; what was lost is made anew.
    const after = world.delivered();
    expect(after.map((values, at) => values.slice(before[at]?.length))).toEqual([
      [9, 10, 13],
      [11, 14],
      [12],
    ]);
    await owner.outputs.close();

    const next = await world.acquire();
    world.commit(next, 3);
    await world.settle(next);
    expect(world.delivered().map((values, at) => values.length - (after[at]?.length ?? 0))).toEqual([
      1, 1, 1,
    ]);
    expect(next.fatal).toEqual([]);
  });

  test('loses its topic to the owner that goes on in a new history', async () => {
    const world = await rolledBack('continue');
    const stale = await world.acquire();
    const owner = await world.acquire();
    world.commit(owner, 6);
    await world.settle(owner);
    const delivered = world.delivered();
    // As if its own commit had written down its history.
    stale.outputs.committed({
      seq: 2,
      ops:
        stale.outputs.sinks
          .get('topic')
          ?.ops([{ sink: 'topic', value: stale.outputs.transfer(5, 'topic'), timestamp: 0 }], 2) ?? [],
      cursors: stale.outputs.cursors(),
    });
    await world.timers.advance(1_000);
    expect(isRsError(stale.fatal[0], 'RS_LEASE_LOST')).toBe(true);
    expect(world.delivered()).toEqual(delivered);
  });
});
