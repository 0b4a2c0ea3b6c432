import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UnsettledTable } from './low-watermark.ts';

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ op: fc.constant('add' as const), gap: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('settle' as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('passed' as const), gap: fc.integer({ min: -2, max: 3 }) }),
  },
);

/** Ids that text would order wrongly. */
function idOf(at: number): string {
  return `${Math.floor(at / 20)}-${at % 20}`;
}

describe('UnsettledTable', () => {
  test('equals a list that is searched for each step', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat({ max: 40 }), (steps, start) => {
        const table = new UnsettledTable(idOf(start));
        // Number of each id, and whether it is settled; those passed are settled from the beginning.
        const entries: { at: number; settled: boolean; handle: number | undefined }[] = [];
        let last = 5; // below some of the starts, as after a group was set back
        let low = start;
        for (const one of steps) {
          const open = entries.filter(({ settled }) => !settled);
          if (one.op === 'add') {
            last += one.gap;
            entries.push({ at: last, settled: false, handle: table.add(idOf(last)) });
          } else if (one.op === 'passed') {
            const at = Math.max(0, last + one.gap);
            table.passed(idOf(at));
            if (at > last || entries.length === 0) entries.push({ at, settled: true, handle: undefined });
            last = Math.max(last, at);
          } else {
            const entry = open[one.pick % open.length];
            if (entry?.handle === undefined) continue;
            expect(table.settle(entry.handle)).toBe(true);
            expect(table.settle(entry.handle)).toBe(false);
            entry.settled = true;
          }
          const unsettled = entries.findIndex(({ settled }) => !settled);
          const before = unsettled < 0 ? entries : entries.slice(0, unsettled);
          low = Math.max(low, ...before.map(({ at }) => at));
          expect(table.low).toBe(idOf(low));
          expect(table.ids()).toEqual(entries.filter(({ settled }) => !settled).map(({ at }) => idOf(at)));
          expect(table.size).toBe(table.ids().length);
        }
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });

  test('the watermark passes no unsettled entry', () => {
    const table = new UnsettledTable('1-0');
    const [first, second, third] = [table.add('1-1'), table.add('2-0'), table.add('2-5')];
    table.settle(second);
    table.settle(third);
    table.passed('7-0');
    expect([table.low, table.ids()]).toEqual(['1-0', ['1-1']]);
    table.settle(first);
    expect([table.low, table.size]).toEqual(['7-0', 0]);
  });

  test('an empty table is as far as what was passed', () => {
    const table = new UnsettledTable('0-0');
    expect(table.low).toBe('0-0');
    table.passed('9-0');
    expect(table.low).toBe('9-0');
    table.passed('5-10');
    expect(table.low).toBe('9-0');
  });

  test('entries below the start do not move the watermark back', () => {
    const table = new UnsettledTable('10-0');
    const handle = table.add('3-0');
    expect(table.low).toBe('10-0');
    table.settle(handle);
    expect(table.low).toBe('10-0');
  });

  test.each(['5-0', '4-9', '5-1'])('%s cannot be added after 5-1', (id) => {
    const table = new UnsettledTable('0-0');
    table.add('5-1');
    expect(() => table.add(id)).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
    expect(table.ids()).toEqual(['5-1']);
  });

  test('handles that are none are refused', () => {
    const table = new UnsettledTable('0-0');
    expect([table.settle(0), table.settle(-1)]).toEqual([false, false]);
    table.add('1-0');
    expect([table.settle(1), table.settle(16)]).toEqual([false, false]);
    expect(table.size).toBe(1);
  });

  test('a long life with few entries at a time', () => {
    const table = new UnsettledTable('0-0');
    let previous = table.add('1-0');
    for (let ms = 2; ms < 100_000; ms++) {
      const handle = table.add(`${ms}-0`);
      table.settle(previous);
      previous = handle;
    }
    expect([table.low, table.ids()]).toEqual(['99998-0', ['99999-0']]);
  });

  test('spans everything since the oldest unsettled entry, settled or not', () => {
    const table = new UnsettledTable('0-0');
    const handles = ['1-0', '2-0', '3-0'].map((id) => table.add(id));
    expect(table.span).toBe(3);
    table.settle(handles[1] ?? -1);
    expect([table.span, table.size]).toEqual([3, 2]);
    table.settle(handles[0] ?? -1);
    expect(table.span).toBe(1);
    table.settle(handles[2] ?? -1);
    expect(table.span).toBe(0);
  });
});
