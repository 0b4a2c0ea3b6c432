import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OrderedResults, type Place, type Results, UnorderedResults } from './results.ts';

interface Item {
  readonly name: string;
}

/** All that can be taken now. */
function taken(results: Results<Item>): string[] {
  const names: string[] = [];
  for (let item = results.take(); item !== undefined; item = results.take()) names.push(item.name);
  return names;
}

const item = (name: string): Item => ({ name });

describe.each([
  ['ordered', () => new OrderedResults<Item>()],
  ['unordered', () => new UnorderedResults<Item>()],
])('%s results', (_, create) => {
  test('are empty at first, and once cleared', () => {
    const results = create();
    expect(taken(results)).toEqual([]);
    const stale = results.reserve();
    results.push(item('w'));
    results.reserve().fill(item('b'));
    results.clear();
    expect(taken(results)).toEqual([]);
    stale.fill(item('a'));
    results.push(item('x'));
    expect(taken(results)).toEqual(['x']);
  });

  test('let what was pushed go when nothing before it is missing', () => {
    const results = create();
    results.push(item('v'));
    const a = results.reserve();
    results.push(item('w'));
    results.push(item('x'));
    expect(taken(results)).toEqual(['v']);
    a.fill(item('a'));
    expect(taken(results)).toEqual(['a', 'w', 'x']);
  });

  test('never let anything change sides with what was pushed', () => {
    const results = create();
    const a = results.reserve();
    results.push(item('w'));
    const b = results.reserve();
    b.fill(item('b'));
    expect(taken(results)).toEqual([]);
    a.fill(item('a'));
    expect(taken(results)).toEqual(['a', 'w', 'b']);
  });

  test('a row of 100,000 goes through', () => {
    const results = create();
    const places = Array.from({ length: 100_000 }, () => results.reserve());
    for (const [index, place] of places.entries()) if (index > 0) place.fill(item(String(index)));
    results.push(item('w'));
    places[0]?.fill(item('0'));
    expect(taken(results)).toHaveLength(100_001);
    expect(taken(results)).toEqual([]);
  });
});

test('ordered results wait for earlier ones, unordered results do not', () => {
  const trace = (results: Results<Item>) => {
    const [a, b, c] = [results.reserve(), results.reserve(), results.reserve()];
    return [[b, 'b'] as const, [a, 'a'] as const, [c, 'c'] as const].map(([place, name]) => {
      place.fill(item(name));
      return taken(results);
    });
  };
  expect(trace(new OrderedResults())).toEqual([[], ['a', 'b'], ['c']]);
  expect(trace(new UnorderedResults())).toEqual([['b'], ['a'], ['c']]);
});

describe('whatever comes in whatever order', () => {
  interface Entry {
    readonly name: string;
    /** Even for what may come in any order; odd for what was pushed, between two of these. */
    readonly group: number;
    filled: boolean;
    readonly places: readonly Place<Item>[];
  }

  /** What should have been taken, with and without order: all that nothing missing stands before. */
  function expected(row: readonly Entry[]): { ordered: string[]; unordered: string[] } {
    const missing = row.findIndex(({ filled }) => !filled);
    const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);
    if (missing === -1) return { ordered: names(row), unordered: names(row) };
    const group = row[missing]?.group ?? 0;
    return {
      ordered: names(row.slice(0, missing)),
      unordered: names(row.filter((entry) => entry.filled && entry.group <= group)),
    };
  }

  const steps = fc.array(
    fc.oneof(fc.constant('reserve' as const), fc.constant('push' as const), fc.nat({ max: 9 })),
    { maxLength: 60 },
  );

  test('everything is taken as early as the order allows, and nothing is lost', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const [ordered, unordered] = [new OrderedResults<Item>(), new UnorderedResults<Item>()];
        const out = { ordered: [] as string[], unordered: [] as string[] };
        const row: Entry[] = [];
        let group = 0;
        const fill = (which: number) => {
          const open = row.filter(({ filled }) => !filled);
          const entry = open[which % open.length];
          if (entry === undefined) return;
          entry.filled = true;
          for (const place of entry.places) place.fill(item(entry.name));
        };
        const check = () => {
          out.ordered.push(...taken(ordered));
          out.unordered.push(...taken(unordered));
          const { ordered: inOrder, unordered: inAnyOrder } = expected(row);
          expect(out.ordered).toEqual(inOrder);
          expect(out.unordered.toSorted()).toEqual(inAnyOrder.toSorted());
          const groups = out.unordered.map((name) => row.find((entry) => entry.name === name)?.group ?? -1);
          expect(groups).toEqual(groups.toSorted((a, b) => a - b));
        };
        for (const [index, step] of all.entries()) {
          const name = String(index);
          if (step === 'reserve') {
            row.push({ name, group, filled: false, places: [ordered.reserve(), unordered.reserve()] });
          } else if (step === 'push') {
            row.push({ name, group: group + 1, filled: true, places: [] });
            group += 2;
            for (const results of [ordered, unordered]) results.push(item(name));
          } else fill(step);
          check();
        }
        while (row.some(({ filled }) => !filled)) fill(0);
        check();
      }),
      { numRuns: 500, seed: 20261201 },
    );
  });
});
