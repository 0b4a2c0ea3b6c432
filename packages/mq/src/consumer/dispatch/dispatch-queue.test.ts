import { describe, expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Ordering } from '../subscription-options.ts';
import { DispatchQueue } from './dispatch-queue.ts';
import { NOT_QUEUED, type QueueEntry } from './queue-entry.ts';

interface Entry extends QueueEntry {
  readonly name: string;
}

/** `a1` has the key `a`; `-1` has none. */
function entry(name: string): Entry {
  return { name, key: name.startsWith('-') ? undefined : name.slice(0, 1), ...NOT_QUEUED };
}

function queueOf(ordering: Ordering, concurrency: number, ...names: string[]) {
  const queue = new DispatchQueue<Entry>({ ordering, concurrency, maxParked: 3 });
  const entries = names.map(entry);
  for (const one of entries) queue.add(one);
  return { queue, entries: Object.fromEntries(entries.map((one) => [one.name, one])) };
}

/** Starts all that may start. */
function started(queue: DispatchQueue<Entry>): string[] {
  const names: string[] = [];
  for (let one = queue.next(); one !== undefined; one = queue.next()) names.push(one.name);
  return names;
}

function named(entries: Record<string, Entry>, name: string): Entry {
  const found = entries[name];
  if (found === undefined) throw new Error(`no entry ${name}`);
  return found;
}

function names(entries: readonly Entry[]): string[] {
  return entries.map(({ name }) => name);
}

describe('order of starts', () => {
  test("'partition': one at a time, in order, whatever the concurrency", () => {
    const { queue, entries } = queueOf('partition', 5, 'a1', 'b1', '-1');
    expect(started(queue)).toEqual(['a1']);
    queue.done(named(entries, 'a1'));
    expect(started(queue)).toEqual(['b1']);
    queue.done(named(entries, 'b1'));
    expect(started(queue)).toEqual(['-1']);
  });

  test("'key': one of each key; messages without a key are free of each other", () => {
    const { queue, entries } = queueOf('key', 4, 'a1', 'a2', '-1', 'b1', '-2', 'c1');
    expect(started(queue)).toEqual(['a1', '-1', 'b1', '-2']);
    queue.done(named(entries, '-1'));
    expect(started(queue)).toEqual(['c1']);
    queue.done(named(entries, 'a1'));
    expect(started(queue)).toEqual(['a2']);
  });

  test("'key': when there is room again, the oldest goes first, not the first that was free", () => {
    const { queue, entries } = queueOf('key', 1, 'a1', 'a2', 'b1');
    expect(started(queue)).toEqual(['a1']);
    queue.done(named(entries, 'a1'));
    expect(started(queue)).toEqual(['a2']);
  });

  test("'none': as many as may run, also of one key", () => {
    const { queue } = queueOf('none', 3, 'a1', 'a2', 'a3', 'a4');
    expect(started(queue)).toEqual(['a1', 'a2', 'a3']);
  });
});

describe('parking', () => {
  test("'partition': all behind wait, and go on after it", () => {
    const { queue, entries } = queueOf('partition', 1, 'a1', 'b1');
    started(queue);
    queue.park(named(entries, 'a1'), 100);
    queue.add(entry('c1'));
    expect(started(queue)).toEqual([]);
    expect([queue.running, queue.queued, queue.parked, queue.nextDue]).toEqual([0, 0, 3, 100]);
    expect(queue.unparkDue(99)).toBe(0);
    expect(queue.unparkDue(100)).toBe(1);
    expect([queue.queued, queue.parked, queue.nextDue]).toEqual([3, 0, undefined]);
    expect(started(queue)).toEqual(['a1']);
    queue.done(named(entries, 'a1'));
    expect(started(queue)).toEqual(['b1']);
  });

  test("'key': those of its key wait, others pass; it goes before newer ones of other keys again", () => {
    const { queue, entries } = queueOf('key', 2, 'a1', 'a2', 'b1', 'b2', '-1');
    expect(started(queue)).toEqual(['a1', 'b1']);
    queue.park(named(entries, 'a1'), 100);
    queue.done(named(entries, 'b1'));
    expect(started(queue)).toEqual(['b2', '-1']);
    expect(queue.parked).toBe(2);
    queue.unparkDue(100);
    queue.add(entry('c1'));
    queue.done(named(entries, 'b2'));
    expect(started(queue)).toEqual(['a1']);
  });

  test("'none': nobody waits for it", () => {
    const { queue, entries } = queueOf('none', 1, 'a1', 'a2');
    started(queue);
    queue.park(named(entries, 'a1'), 100);
    expect(started(queue)).toEqual(['a2']);
    expect([queue.parked, queue.queued]).toEqual([1, 0]);
  });

  test('an entry may be parked again and again', () => {
    const { queue, entries } = queueOf('partition', 1, 'a1');
    for (let time = 100; time < 1_000; time += 100) {
      expect(started(queue)).toEqual(['a1']);
      queue.park(named(entries, 'a1'), time);
      queue.unparkDue(time);
    }
    expect(started(queue)).toEqual(['a1']);
    queue.done(named(entries, 'a1'));
    expect([queue.running, queue.queued, queue.parked]).toEqual([0, 0, 0]);
  });

  test('full counts those that wait behind a parked one', () => {
    const { queue, entries } = queueOf('key', 1, 'a1', 'a2', 'b1');
    started(queue);
    queue.park(named(entries, 'a1'), 100);
    expect([queue.parked, queue.full]).toEqual([2, false]);
    queue.add(entry('a3'));
    expect([queue.parked, queue.full]).toEqual([3, true]);
    queue.unparkDue(100);
    expect(queue.full).toBe(false);
  });

  test('nextDue is that of the first one due, not of the first one parked', () => {
    const { queue, entries } = queueOf('none', 3, 'a1', 'a2', 'a3');
    started(queue);
    queue.park(named(entries, 'a1'), 300);
    queue.park(named(entries, 'a2'), 100);
    queue.park(named(entries, 'a3'), 200);
    expect(queue.nextDue).toBe(100);
    expect(queue.unparkDue(250)).toBe(2);
    expect(queue.nextDue).toBe(300);
  });
});

describe('takeover', () => {
  test('what was parked stays parked, and later messages of its key wait', () => {
    const { queue } = queueOf('key', 10, 'b1');
    queue.addParked(entry('a1'), 100);
    for (const name of ['a2', 'b2', '-1']) queue.add(entry(name));
    expect(started(queue)).toEqual(['b1', '-1']);
    queue.unparkDue(100);
    expect(started(queue)).toEqual(['a1']);
  });

  test('what was added before a parked one of its key goes first', () => {
    const { queue, entries } = queueOf('key', 10, 'a1');
    queue.addParked(entry('a2'), 100);
    expect(queue.unparkDue(100)).toBe(1);
    expect(started(queue)).toEqual(['a1']);
    queue.done(named(entries, 'a1'));
    expect(started(queue)).toEqual(['a2']);
  });
});

describe('an entry that has ended and comes back', () => {
  test('has its old place: what has not started waits for it', () => {
    const { queue, entries } = queueOf('partition', 1, 'a1', 'b1', 'c1');
    for (const name of ['a1', 'b1']) {
      expect(started(queue)).toEqual([name]);
      queue.done(named(entries, name));
    }
    queue.addParked(named(entries, 'a1'), 100);
    expect([started(queue), queue.parked]).toEqual([[], 2]);
    queue.unparkDue(100);
    expect(started(queue)).toEqual(['a1']);
    queue.done(named(entries, 'a1'));
    expect(started(queue)).toEqual(['c1']);
    queue.done(named(entries, 'c1'));
    expect([started(queue), queue.running, queue.queued, queue.giveBack()]).toEqual([[], 0, 0, []]);
  });
});

describe('batches', () => {
  test("'partition': what comes next, and nothing until all of it has ended", () => {
    const { queue, entries } = queueOf('partition', 1, 'a1', 'b1', 'c1', 'd1', 'e1');
    expect(names(queue.nextBatch(3))).toEqual(['a1', 'b1', 'c1']);
    queue.done(named(entries, 'a1'));
    queue.done(named(entries, 'b1'));
    expect(queue.nextBatch(3)).toEqual([]);
    expect(queue.next()).toBeUndefined();
    queue.done(named(entries, 'c1'));
    expect(names(queue.nextBatch(3))).toEqual(['d1', 'e1']);
  });

  test("'partition': after a part of it is to be retried, that goes first, with what follows", () => {
    const { queue, entries } = queueOf('partition', 1, 'a1', 'b1', 'c1', 'd1');
    queue.nextBatch(3);
    queue.park(named(entries, 'b1'), 200);
    queue.park(named(entries, 'a1'), 100);
    queue.done(named(entries, 'c1'));
    expect(queue.nextBatch(3)).toEqual([]);
    queue.unparkDue(100);
    // The second one is not due, and nothing passes it.
    expect(names(queue.nextBatch(3))).toEqual(['a1']);
    queue.unparkDue(200);
    queue.done(named(entries, 'a1'));
    expect(names(queue.nextBatch(3))).toEqual(['b1', 'd1']);
  });

  test("'key': several of one key in order, and none of a key that waits", () => {
    const { queue, entries } = queueOf('key', 1, 'a1', 'b1', 'a2', 'b2', 'a3');
    expect(names(queue.nextBatch(2))).toEqual(['a1', 'b1']);
    queue.park(named(entries, 'b1'), 100);
    queue.done(named(entries, 'a1'));
    expect(names(queue.nextBatch(10))).toEqual(['a2', 'a3']);
  });

  test('one that is due waits until the rest of its key in the batch has ended', () => {
    const { queue, entries } = queueOf('key', 1, 'a1', 'a2');
    queue.nextBatch(2);
    queue.park(named(entries, 'a1'), 100);
    queue.unparkDue(100);
    expect(queue.nextBatch(2)).toEqual([]);
    queue.park(named(entries, 'a2'), 200);
    expect(names(queue.nextBatch(2))).toEqual(['a1']);
  });
});

describe('ends', () => {
  test('giveBack returns what is not running, in order, and leaves the rest to end', () => {
    const { queue, entries } = queueOf('key', 2, 'a1', 'b1', 'a2', 'b2', '-1');
    started(queue);
    queue.park(named(entries, 'b1'), 100);
    expect(names(queue.giveBack())).toEqual(['b1', 'a2', 'b2', '-1']);
    expect([queue.running, queue.queued, queue.parked, queue.nextDue]).toEqual([1, 0, 0, undefined]);
    expect(queue.done(named(entries, 'a1'))).toBe(true);
    expect([queue.running, queue.next(), queue.giveBack()]).toEqual([0, undefined, []]);
  });

  test('keys of ended entries are forgotten', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { queue } = queueOf('key', 1);
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let at = 0; at < 200_000; at++) {
      const one: Entry = { name: '', key: `key ${at}`, ...NOT_QUEUED };
      queue.add(one);
      queue.next();
      queue.done(one);
    }
    expect(heap() - before).toBeLessThan(10_000_000);
    expect(queue.queued).toBe(0);
  });

  test('only what is running can end or be parked, and only once', () => {
    const { queue, entries } = queueOf('none', 1, 'a1', 'a2');
    const [first, second] = [named(entries, 'a1'), named(entries, 'a2')];
    started(queue);
    expect([queue.done(second), queue.park(second, 1)]).toEqual([false, false]);
    expect([queue.done(first), queue.done(first), queue.park(first, 1)]).toEqual([true, false, false]);
    expect([queue.running, queue.queued, queue.parked]).toEqual([0, 1, 0]);
  });
});
