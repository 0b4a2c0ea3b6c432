import { describe, expect, test } from '@jest/globals';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import { TwoInputRun } from '../../test-support/two-inputs.ts';

interface Item {
  readonly key: string;
  readonly n: number;
}

/** A step of a run: a record of a side, or a new watermark of it. */
interface Step {
  readonly side: 0 | 1;
  readonly key: string;
  readonly time: number;
  readonly kind: 'record' | 'watermark';
}

const steps = fc.array(
  fc.record<Step>({
    side: fc.constantFrom(0, 1),
    key: fc.constantFrom('a', 'b'),
    time: fc.integer({ min: -10, max: 40 }),
    kind: fc.constantFrom('record', 'record', 'record', 'watermark'),
  }),
  { maxLength: 50 },
);

interface OpenWindow {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly sides: readonly [number[], number[]];
}

/** What is said of windows, for two inputs: every start that could be one is tried. */
class Model {
  readonly results: string[] = [];
  readonly late: number[] = [];
  readonly #watermarks = [-Infinity, -Infinity];
  readonly #size: number;
  readonly #slide: number;
  readonly #lateness: number;
  #windows: OpenWindow[] = [];
  #watermark = -Infinity;

  constructor(size: number, slide: number, lateness: number) {
    this.#size = size;
    this.#slide = slide;
    this.#lateness = lateness;
  }

  record({ side, key, time }: Step, n: number): void {
    const starts: number[] = [];
    for (let start = time; start > time - this.#size; start--)
      if (start % this.#slide === 0) starts.push(start);
    const open = starts.filter((start) => this.#watermark < start + this.#size - 1 + this.#lateness);
    if (starts.length > 0 && open.length === 0) this.late.push(n);
    for (const start of open) {
      let window = this.#windows.find((one) => one.key === key && one.start === start);
      if (window === undefined) {
        window = { key, start, end: start + this.#size, sides: [[], []] };
        this.#windows.push(window);
      }
      window.sides[side].push(n);
      if (this.#watermark >= window.end - 1) this.#emit(window);
    }
  }

  watermark(side: 0 | 1, time: number): void {
    this.#watermarks[side] = Math.max(this.#watermarks[side] ?? 0, time);
    const next = Math.min(...this.#watermarks);
    const due = this.#windows
      .filter(({ end }) => end - 1 > this.#watermark && end - 1 <= next)
      .sort((a, b) => a.end - b.end || (a.key < b.key ? -1 : 1));
    for (const window of due) this.#emit(window);
    this.#watermark = next;
    this.#windows = this.#windows.filter(({ end }) => next < end - 1 + this.#lateness);
  }

  #emit({ key, start, end, sides: [lefts, rights] }: OpenWindow): void {
    this.results.push(`${key} [${start},${end}) ${lefts.join()}|${rights.join()}`);
  }
}

describe.each([0, 6])('cogrouped windows on a grid, lateness %d', (lateness) => {
  test.each([
    [10, 10],
    [12, 5],
    [4, 7],
  ])('of %d every %d ms are those of the model', (size, slide) => {
    const assigner = size === slide ? TumblingWindow.of(size) : SlidingWindow.of(size, slide);
    fc.assert(
      fc.property(steps, (drawn) => {
        const run = new TwoInputRun<Item, Item>((left, right) =>
          left
            .keyBy(({ key }) => key)
            .cogroup(right.keyBy(({ key }) => key))
            .window(assigner)
            .allowedLateness(lateness)
            .apply<string>((key, { start, end }, lefts, rights, out) =>
              out.collect(`${key} [${start},${end}) ${numbers(lefts)}|${numbers(rights)}`),
            ),
        );
        const model = new Model(size, slide, lateness);
        const highest = [-Infinity, -Infinity];
        drawn.forEach((step, n) => {
          const { side, key, time, kind } = step;
          if (kind === 'record') {
            if (side === 0) run.one({ key, n }, time);
            else run.two({ key, n }, time);
            model.record(step, n);
          } else if (time > (highest[side] ?? 0)) {
            highest[side] = time; // A watermark does not fall.
            run.input(side).watermark(time);
            model.watermark(side, time);
          }
        });
        run.left.end();
        run.right.end();
        model.watermark(0, Infinity);
        model.watermark(1, Infinity);
        expect(run.output().values).toEqual(model.results);
        expect(run.late.map(({ value }) => (value as Item).n)).toEqual(model.late);
        expect(run.leftovers()).toEqual([]);
      }),
      { numRuns: 200, seed: 5 },
    );
  });
});

test('cogrouped sessions hold what lies less than the gap apart, on whichever side', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (drawn, gap) => {
      const run = new TwoInputRun<Item, Item>((left, right) =>
        left
          .keyBy(({ key }) => key)
          .cogroup(right.keyBy(({ key }) => key))
          .window(SessionWindow.withGap(gap))
          .apply<string>((key, { start, end }, lefts, rights, out) =>
            out.collect(`${key} [${start},${end}) ${sorted(lefts)}|${sorted(rights)}`),
          ),
      );
      drawn.forEach(({ side, key, time }, n) => run.input(side).record({ key, n }, time, undefined));
      run.left.end();
      run.right.end();
      const expected = ['a', 'b'].flatMap((key) => {
        const ordered = drawn
          .map((step, n) => ({ ...step, n }))
          .filter((step) => step.key === key)
          .sort((a, b) => a.time - b.time);
        const sessions: (typeof ordered)[] = [];
        for (const step of ordered) {
          const last = sessions.at(-1)?.at(-1);
          if (last !== undefined && step.time < last.time + gap) sessions.at(-1)?.push(step);
          else sessions.push([step]);
        }
        return sessions.map((session) => {
          const [lefts, rights] = [0, 1].map((side) => session.filter((step) => step.side === side));
          const end = Math.max(...session.map(({ time }) => time)) + gap;
          return `${key} [${session[0]?.time},${end}) ${sorted(lefts)}|${sorted(rights)}`;
        });
      });
      expect(run.output().values.toSorted()).toEqual(expected.toSorted());
      expect(run.leftovers()).toEqual([]);
    }),
    { numRuns: 200, seed: 5 },
  );
});

function numbers(items: readonly Item[]): string {
  return items.map(({ n }) => n).join();
}

/** For windows that merge, in which the order of arrival is that of their parts. */
function sorted(items: readonly { readonly n: number }[] = []): string {
  return items
    .map(({ n }) => n)
    .toSorted((a, b) => a - b)
    .join();
}
