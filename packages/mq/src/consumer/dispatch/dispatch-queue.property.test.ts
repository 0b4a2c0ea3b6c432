import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Ordering } from '../subscription-options.ts';
import { DispatchQueue } from './dispatch-queue.ts';
import { ModelQueue } from '../../test-support/model-queue.ts';
import { NOT_QUEUED, type QueueEntry } from './queue-entry.ts';

interface Entry extends QueueEntry {
  readonly turn: number;
}

const ORDERINGS: Ordering[] = ['partition', 'key', 'none'];
const keys = fc.constantFrom(undefined, 'a', 'b', 'c');
const times = fc.nat({ max: 20 });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('add' as const), key: keys }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('addParked' as const), key: keys, time: times }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('next' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('nextBatch' as const), max: fc.nat({ max: 6 }) }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('done' as const), pick: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('park' as const), pick: fc.nat(), time: times }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('comeBack' as const), time: times }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('unpark' as const), time: times }) },
);
const steps = fc.array(step, { maxLength: 120 });
const options = fc.record({
  ordering: fc.constantFrom(...ORDERINGS),
  concurrency: fc.integer({ min: 1, max: 4 }),
  maxParked: fc.integer({ min: 1, max: 5 }),
});

describe('DispatchQueue', () => {
  test('equals a list that is searched for each step', () => {
    fc.assert(
      fc.property(options, steps, (limits, all) => {
        const queue = new DispatchQueue<Entry>(limits);
        const model = new ModelQueue(limits);
        const entries: Entry[] = [];
        const turns = (found: readonly Entry[]) => found.map(({ turn }) => turn);
        for (const one of all) {
          const running = model.running();
          const turn = 'pick' in one ? running[one.pick % running.length] : undefined;
          const picked = turn === undefined ? undefined : entries[turn];
          switch (one.op) {
            case 'add':
            case 'addParked': {
              const entry = { turn: entries.length, key: one.key, ...NOT_QUEUED };
              entries.push(entry);
              if (one.op === 'add') queue.add(entry);
              else queue.addParked(entry, one.time);
              model.add(one.key, one.op === 'add' ? undefined : one.time);
              break;
            }
            case 'next':
              expect(queue.next()?.turn).toBe(model.next());
              break;
            case 'nextBatch':
              expect(turns(queue.nextBatch(one.max))).toEqual(model.nextBatch(one.max));
              break;
            case 'done':
              if (picked !== undefined) {
                expect(queue.done(picked)).toBe(true);
                model.done(picked.turn);
              }
              break;
            case 'park':
              if (picked !== undefined) {
                expect(queue.park(picked, one.time)).toBe(true);
                model.park(picked.turn, one.time);
              }
              break;
            case 'comeBack': {
              const entry = entries[model.comeBack(one.time) ?? -1];
              if (entry !== undefined) queue.addParked(entry, one.time);
              break;
            }
            case 'unpark':
              expect(queue.unparkDue(one.time)).toBe(model.unparkDue(one.time));
              break;
          }
          expect({
            running: queue.running,
            queued: queue.queued,
            parked: queue.parked,
            full: queue.full,
            nextDue: queue.nextDue,
          }).toEqual(model.facts());
        }
        expect(turns(queue.giveBack())).toEqual(model.giveBack());
        for (const turn of model.running()) {
          const entry = entries[turn];
          expect(entry !== undefined && queue.done(entry)).toBe(true);
        }
        expect([queue.running, queue.queued, queue.parked]).toEqual([0, 0, 0]);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  test('whatever is retried: all end once, and those of a key in the order of adding', () => {
    const failures = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 });
    const choices = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(
        options,
        failures,
        fc.array(keys, { minLength: 1 }),
        choices,
        (limits, fails, keyOf, choose) => {
          const queue = new DispatchQueue<Entry>(limits);
          const entries = fails.map((_, turn) => ({
            turn,
            key: keyOf[turn % keyOf.length],
            ...NOT_QUEUED,
          }));
          for (const entry of entries) queue.add(entry);
          const left = [...fails];
          const running: Entry[] = [];
          const ended: Entry[] = [];
          for (let now = 0; ended.length < entries.length; now++) {
            expect(now).toBeLessThan(10_000);
            queue.unparkDue(now);
            for (let entry = queue.next(); entry !== undefined; entry = queue.next()) running.push(entry);
            const at = Number(choose.next().value) % Math.max(1, running.length);
            const [entry] = running.splice(at, 1);
            if (entry === undefined) continue;
            const failuresLeft = left[entry.turn] ?? 0;
            left[entry.turn] = failuresLeft - 1;
            if (failuresLeft > 0) queue.park(entry, now + (Number(choose.next().value) % 5));
            else {
              queue.done(entry);
              ended.push(entry);
            }
          }
          expect(new Set(ended).size).toBe(entries.length);
          const turnsOf = (lane: (entry: Entry) => boolean) => ended.filter(lane).map(({ turn }) => turn);
          const lanes =
            limits.ordering === 'partition'
              ? [turnsOf(() => true)]
              : ['a', 'b', 'c'].map((key) => turnsOf((entry) => entry.key === key));
          if (limits.ordering === 'none') return;
          for (const turns of lanes) expect(turns).toEqual([...turns].sort((a, b) => a - b));
        },
      ),
      { numRuns: 500, seed: 2 },
    );
  });
});
