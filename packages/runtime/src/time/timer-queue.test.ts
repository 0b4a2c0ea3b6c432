import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Namespace } from '../state/cell.ts';
import { decodeKey, encodeKey } from '../state/key-encoding.ts';
import type { Timer } from './timer-entry.ts';
import { TimerQueue } from './timer-queue.ts';

const KEYS: unknown[] = ['a', 'b', '\uffff', '\u{1f600}', '', 1, 1n, ['a', 1], { k: true }];
const NAMESPACES: Namespace[] = ['', 0, -10, '0|10'];

const timers = fc.record({
  time: fc.oneof(fc.integer({ min: -3, max: 6 }), fc.constantFrom(Infinity, -1e15)),
  key: fc.constantFrom(...KEYS),
  namespace: fc.constantFrom(...NAMESPACES),
});

const text = ({ time, key, namespace }: Timer) => `${time} ${encodeKey(key)}\u001f${namespace}`;
const bytes = ({ key, namespace }: Timer) => Buffer.from(`${encodeKey(key)}\u001f${namespace}`);

/** Order of firing, by the bytes that a Redis sorted set would compare. */
function inOrder(a: Timer, b: Timer): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return Buffer.compare(bytes(a), bytes(b));
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ op: fc.constant('add' as const), timer: timers }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), timer: timers }) },
    {
      weight: 5,
      arbitrary: fc.record({ op: fc.constant('take' as const), limit: fc.integer({ min: -4, max: 7 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ op: fc.constantFrom('commit' as const, 'rollback' as const, 'crash' as const) }),
    },
  ),
  { maxLength: 80 },
);

describe('TimerQueue', () => {
  test('equals a sorted list through deletions, firings, commits, rollbacks and crashes', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let queue = new TimerQueue({ tracked: true });
        let model: Timer[] = [];
        let committed: Timer[] = [];
        /** What a backend makes of the changes. */
        const stored = new Map<string, Timer>();
        for (const step of all) {
          const at = 'timer' in step ? model.findIndex((one) => text(one) === text(step.timer)) : -1;
          switch (step.op) {
            case 'add': {
              const { time, key, namespace } = step.timer;
              expect(queue.add(time, key, namespace)).toBe(at < 0);
              if (at < 0) model = [...model, step.timer].sort(inOrder);
              break;
            }
            case 'delete':
              expect(queue.delete(step.timer.time, step.timer.key, step.timer.namespace)).toBe(at >= 0);
              model = model.filter((_, index) => index !== at);
              break;
            case 'take': {
              const [first] = model;
              const due = first !== undefined && first.time <= step.limit ? first : undefined;
              const taken = queue.takeDue(step.limit);
              expect(taken && text(taken)).toBe(due && text(due));
              if (due !== undefined) model = model.slice(1);
              break;
            }
            case 'commit':
              for (const { op, time, key, namespace } of queue.changes()) {
                const timer = { time, key: decodeKey(key), namespace: parsed(namespace) };
                if (op === 'add') stored.set(text(timer), timer);
                else stored.delete(text(timer));
              }
              queue.committed();
              committed = model;
              expect([...stored.keys()].sort()).toEqual(model.map(text).sort());
              break;
            case 'rollback':
              queue.rollback();
              model = committed;
              break;
            case 'crash':
              queue = new TimerQueue({ tracked: true });
              for (const { time, key, namespace } of stored.values()) queue.load(time, key, namespace);
              model = committed;
              break;
          }
          expect(queue.all().map(text)).toEqual(model.map(text));
          expect([queue.next, queue.size]).toEqual([model[0]?.time ?? Infinity, model.length]);
          expect([...queue.due(2)].map(text).sort()).toEqual(
            model.filter(({ time }) => time <= 2).map(text).sort(), // prettier-ignore
          );
        }
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  test('the order does not depend on that of registration', () => {
    fc.assert(
      fc.property(fc.uniqueArray(timers, { selector: text, maxLength: 20 }), fc.nat(), (all, turn) => {
        const [one, other] = [new TimerQueue({ tracked: false }), new TimerQueue({ tracked: false })];
        for (const { time, key, namespace } of all) one.add(time, key, namespace);
        const at = turn % (all.length + 1);
        for (const { time, key, namespace } of [...all.slice(at), ...all.slice(0, at).reverse()]) {
          other.add(time, key, namespace);
        }
        const drained = (queue: TimerQueue) =>
          all.map(() => queue.takeDue(Infinity)).map((timer) => timer && text(timer));
        expect(drained(one)).toEqual(drained(other));
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  test('a timer registered while its time is being fired has its place among the rest', () => {
    const queue = new TimerQueue({ tracked: false });
    for (const key of ['b', 'd', 'f']) queue.add(10, key, '');
    const fired: unknown[] = [queue.takeDue(10)?.key];
    queue.add(10, 'a', '');
    queue.add(10, 'e', '');
    queue.add(9, 'z', '');
    queue.delete(10, 'd', '');
    queue.add(10, 'd', '');
    queue.delete(10, 'f', '');
    for (let timer = queue.takeDue(10); timer !== undefined; timer = queue.takeDue(10)) fired.push(timer.key);
    expect(fired).toEqual(['b', 'z', 'a', 'd', 'e']);
    expect(queue.next).toBe(Infinity);
  });

  test('a timer can be registered again once it has fired, also while others of its time wait', () => {
    const queue = new TimerQueue({ tracked: false });
    queue.add(5, 'a', '');
    queue.add(5, 'b', '');
    expect(queue.takeDue(5)?.key).toBe('a');
    expect(queue.add(5, 'a', '')).toBe(true);
    expect(queue.add(5, 'a', '')).toBe(false);
    expect([queue.takeDue(5)?.key, queue.takeDue(5)?.key, queue.takeDue(5)]).toEqual(['a', 'b', undefined]);
  });

  test('a timer that is put off very often fires once, at its last time, and others keep their place', () => {
    const queue = new TimerQueue({ tracked: false });
    for (const time of [0, 500, 2_000_000]) queue.add(time, 'other', '');
    for (let time = 1000; time < 101_000; time++) {
      queue.add(time + 1, 'k', '');
      queue.delete(time, 'k', '');
    }
    expect(queue.size).toBe(4);
    const fired: unknown[] = [];
    for (let timer = queue.takeDue(1e9); timer !== undefined; timer = queue.takeDue(1e9))
      fired.push(timer.time);
    expect(fired).toEqual([0, 500, 101_000, 2_000_000]);
    expect(queue.next).toBe(Infinity);
  });

  test('changes name keys and namespaces by their text', () => {
    const queue = new TimerQueue({ tracked: true });
    queue.add(5, ['k', 1], -10);
    queue.add(6, 'k', '0|10');
    expect(queue.changes()).toEqual([
      { op: 'add', time: 5, key: 'a[3:s:k3:n:1', namespace: '-10' },
      { op: 'add', time: 6, key: 's:k', namespace: '0|10' },
    ]);
    queue.committed();
    expect(queue.changes()).toEqual([]);
    queue.load(7, 'k', '');
    expect(queue.changes()).toEqual([]);
  });

  test('of many changes to one timer the last one is told, and none of one that came and went', () => {
    const queue = new TimerQueue({ tracked: true });
    queue.add(5, 'stays', '');
    queue.add(6, 'goes', '');
    queue.committed();
    queue.add(7, 'put off', '');
    for (let time = 7; time < 20; time++) {
      queue.delete(time, 'put off', '');
      queue.add(time + 1, 'put off', '');
    }
    queue.delete(6, 'goes', '');
    queue.add(6, 'goes', '');
    queue.takeDue(5);
    queue.add(5, 'fires again', '');
    queue.takeDue(5);
    queue.takeDue(6);
    expect(queue.changes()).toEqual([
      { op: 'add', time: 20, key: 's:put off', namespace: '' },
      { op: 'remove', time: 6, key: 's:goes', namespace: '' },
      { op: 'remove', time: 5, key: 's:stays', namespace: '' },
    ]);
  });

  test('a queue that was cleared, also between two timers of one time, is as a new one', () => {
    const queue = new TimerQueue({ tracked: false });
    for (const key of ['a', 'b', 'c']) queue.add(5, key, '');
    queue.add(3, 'a', '');
    queue.takeDue(3);
    queue.takeDue(5);
    queue.clear();
    expect([queue.next, queue.size, queue.takeDue(Infinity)]).toEqual([Infinity, 0, undefined]);
    queue.load(7, 'b', '');
    queue.load(5, 'c', '');
    expect([queue.next, queue.takeDue(5)?.key, queue.takeDue(6), queue.next]).toEqual([5, 'c', undefined, 7]);
  });

  test('without tracking nothing is noted', () => {
    const queue = new TimerQueue({ tracked: false });
    queue.add(1, 'k', '');
    queue.takeDue(1);
    queue.committed();
    queue.rollback();
    expect([queue.changes(), queue.size]).toEqual([[], 0]);
  });
});

function parsed(namespace: string): Namespace {
  return /^-?\d+$/.test(namespace) ? Number(namespace) : namespace;
}
