import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeKey } from '../state/key-encoding.ts';
import { inFiringOrder, newEntry, type Timer } from './timer-entry.ts';
import type { TimerChange } from './timer-log.ts';
import { TimerQueue } from './timer-queue.ts';

/** What stands for a backend: it gives the first timers there are. */
class Stored {
  readonly #timers = new Map<string, Timer>();

  apply(changes: readonly TimerChange[]): void {
    for (const { op, time, key, namespace } of changes) {
      const id = JSON.stringify([String(time), key, namespace]);
      if (op === 'remove') this.#timers.delete(id);
      else this.#timers.set(id, { time, key: decodeKey(key), namespace });
    }
  }

  fill(queue: TimerQueue, limit: number): void {
    const all = [...this.#timers.values()].sort(inOrder);
    queue.fill(all.slice(0, limit), all.length > limit);
  }
}

const inOrder = (a: Timer, b: Timer) =>
  inFiringOrder(newEntry(a.time, a.key, a.namespace, 0), newEntry(b.time, b.key, b.namespace, 0));
const text = ({ time, key }: Timer) => `${time} ${String(key)}`;

const timers = fc.record({
  time: fc.oneof(fc.integer({ min: -3, max: 9 }), fc.constant(Infinity)),
  key: fc.constantFrom('a', 'b', 'c', '\uffff', '\u{1f600}'),
});
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ op: fc.constant('add' as const), timer: timers }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), timer: timers }) },
    {
      weight: 5,
      arbitrary: fc.record({
        op: fc.constant('take' as const),
        limit: fc.oneof(fc.integer({ min: -4, max: 10 }), fc.constant(Infinity)),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ op: fc.constantFrom('commit' as const, 'rollback' as const, 'crash' as const) }),
    },
  ),
  { maxLength: 80 },
);

describe('TimerQueue over a backend that has most of its timers', () => {
  test('fires as if all were in memory', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), fc.boolean(), (all, page, trims) => {
        const stored = new Stored();
        let queue = new TimerQueue({ tracked: true });
        let model: Timer[] = [];
        let committed: Timer[] = [];
        const take = (limit: number) => {
          while (queue.lacks(limit, 1)) stored.fill(queue, Math.max(page, 2 * queue.known));
          return queue.takeDue(limit);
        };
        for (const step of all) {
          switch (step.op) {
            case 'add': {
              const timer = { ...step.timer, namespace: '' };
              queue.add(timer.time, timer.key, '');
              if (!model.some((one) => text(one) === text(timer))) model = [...model, timer].sort(inOrder);
              break;
            }
            case 'delete':
              queue.delete(step.timer.time, step.timer.key, '');
              model = model.filter((one) => text(one) !== text({ ...step.timer, namespace: '' }));
              break;
            case 'take': {
              const [first] = model;
              const due = first !== undefined && first.time <= step.limit ? first : undefined;
              const taken = take(step.limit);
              expect(taken && text(taken)).toBe(due && text(due));
              if (due !== undefined) model = model.slice(1);
              break;
            }
            case 'commit':
              stored.apply(queue.changes());
              queue.committed();
              if (trims) queue.trim(page);
              committed = model;
              break;
            case 'rollback':
              queue.rollback();
              model = committed;
              break;
            case 'crash':
              queue = new TimerQueue({ tracked: true });
              stored.fill(queue, page);
              model = committed;
              break;
          }
          const inMemory = queue.all().map(text);
          expect(inMemory).toEqual(model.slice(0, inMemory.length).map(text));
          expect(queue.size).toBe(inMemory.length);
          expect(queue.next).toBeLessThanOrEqual(model[0]?.time ?? Infinity);
          if (trims && step.op === 'commit') expect(inMemory.length).toBeLessThanOrEqual(page);
        }
        for (const timer of model) expect(text(take(Infinity) as Timer)).toBe(text(timer));
        expect([take(Infinity), queue.next]).toEqual([undefined, Infinity]);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  test('what is done behind the horizon is told, though nobody has looked', () => {
    const queue = new TimerQueue({ tracked: true });
    queue.fill([{ time: 5, key: 'a', namespace: '' }], true);
    expect([queue.add(9, 'b', ''), queue.add(9, 'b', ''), queue.delete(8, 'c', '')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([queue.size, queue.next, queue.has(9, 'b', '')]).toEqual([1, 5, false]);
    queue.add(9, 'd', '');
    queue.delete(9, 'd', '');
    expect(queue.changes()).toEqual([
      { op: 'add', time: 9, key: 's:b', namespace: '' },
      { op: 'remove', time: 9, key: 's:d', namespace: '' },
      { op: 'remove', time: 8, key: 's:c', namespace: '' },
    ]);
  });

  test('when all in memory have fired, the next may come as early as the last of them', () => {
    const queue = new TimerQueue({ tracked: true });
    queue.fill([{ time: 5, key: 'a', namespace: '' }], true);
    expect([queue.takeDue(9)?.key, queue.next, queue.takeDue(9)]).toEqual(['a', 5, undefined]);
    expect([queue.lacks(4, 1), queue.lacks(5, 1), queue.lacks(5, 0)]).toEqual([false, true, false]);
    queue.fill([], false);
    expect([queue.next, queue.lacks(Infinity, Infinity)]).toEqual([Infinity, false]);
  });
});

describe('a fence', () => {
  const queueOf = (...all: readonly (readonly [time: number, key: string])[]) => {
    const queue = new TimerQueue({ tracked: true });
    for (const [time, key] of all) queue.add(time, key, '');
    return queue;
  };
  const fired = (queue: TimerQueue, limit: number) => {
    const keys: unknown[] = [];
    for (let timer = queue.takeDue(limit); timer !== undefined; timer = queue.takeDue(limit))
      keys.push(timer.key);
    return keys;
  };

  test('lets the first due timers fire, whatever becomes of them meanwhile, and none behind', () => {
    const queue = queueOf([1, 'a'], [2, 'b'], [2, 'c'], [2, 'd'], [3, 'e']);
    queue.fence(3, 2);
    expect([...queue.due(3)].map(({ key }) => key)).toEqual(['a', 'b']);
    queue.delete(2, 'b', '');
    queue.add(1, 'b', '');
    queue.add(2, 'e', '');
    expect([fired(queue, 3), queue.next]).toEqual([['a', 'b'], 2]);
    queue.lift();
    expect(fired(queue, 3)).toEqual(['c', 'd', 'e', 'e']);
  });

  test.each([
    [0, []],
    [1, ['a']],
    [3, ['a', 'b', 'c']],
    [4, ['a', 'b', 'c']],
  ])('of three, %d', (count, keys) => {
    const queue = queueOf([1, 'a'], [2, 'b'], [2, 'c'], [9, 'z']);
    queue.fence(2, count);
    expect([...queue.due(2)].map(({ key }) => key)).toEqual(keys);
    expect(fired(queue, 2)).toEqual(keys);
  });

  test('is gone after a rollback', () => {
    const queue = queueOf([1, 'a'], [2, 'b']);
    queue.committed();
    queue.fence(2, 1);
    queue.takeDue(2);
    queue.rollback();
    expect(fired(queue, 2)).toEqual(['a', 'b']);
  });
});
