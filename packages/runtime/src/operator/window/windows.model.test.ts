import { describe, expect, test } from '@jest/globals';
import type { LatenessMode, WindowAssigner } from '@rs/core';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import { WindowRun } from '../../test-support/window-run.ts';

interface Event {
  readonly key: string;
  readonly time: number;
}

type Shape =
  | { readonly kind: 'tumbling'; readonly size: number; readonly offset: number }
  | { readonly kind: 'sliding'; readonly size: number; readonly slide: number }
  | { readonly kind: 'session'; readonly gap: number; readonly touching: 'separate' | 'merge' };

interface Settings {
  readonly shape: Shape;
  readonly outOfOrderness: number;
  readonly lateness: number;
  readonly mode: LatenessMode;
}

interface OpenWindow {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** Numbers of its events, in order. */
  readonly elements: readonly number[];
}

/** All windows of a grid that contain a time, found by trying every start around it. */
function gridWindows(time: number, size: number, slide: number, offset: number): [number, number][] {
  const found: [number, number][] = [];
  for (let start = time - size + 1; start <= time; start++) {
    if ((start - offset) % slide === 0) found.push([start, start + size]);
  }
  return found;
}

/**
 * What the specification says, word by word: a window fires when the watermark reaches its closing time, and with each
 * element that comes later; it is given up, and elements are late for it, from `end − 1 + lateness` on.
 */
class Model {
  readonly results: string[] = [];
  readonly late: number[] = [];
  readonly #settings: Settings;
  #windows: OpenWindow[] = [];
  #watermark = -Infinity;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  add({ key, time }: Event, n: number): void {
    const { shape } = this.#settings;
    if (shape.kind === 'session') return this.#addToSession(key, time, n, shape);
    const [size, slide, offset] =
      shape.kind === 'tumbling' ? [shape.size, shape.size, shape.offset] : [shape.size, shape.slide, 0];
    const all = gridWindows(time, size, slide, offset);
    const open = all.filter(([, end]) => this.#watermark < this.#cleanup(end));
    if (all.length > 0 && open.length === 0) this.late.push(n);
    for (const [start, end] of open.sort((a, b) => b[0] - a[0])) {
      const known = this.#windows.find((one) => one.key === key && one.start === start);
      this.#put(
        { key, start, end, elements: [...(known?.elements ?? []), n] },
        known === undefined ? [] : [known],
      );
    }
  }

  advance(watermark: number): void {
    const due = this.#windows
      .filter(({ end }) => this.#closing(end) > this.#watermark && this.#closing(end) <= watermark)
      .sort((a, b) => this.#closing(a.end) - this.#closing(b.end) || (a.key < b.key ? -1 : 1));
    for (const window of due) this.#emit(window);
    this.#watermark = Math.max(this.#watermark, watermark);
    this.#windows = this.#windows.filter(({ end }) => this.#watermark < this.#cleanup(end));
  }

  #addToSession(key: string, time: number, n: number, shape: Shape & { kind: 'session' }): void {
    const reach = shape.touching === 'merge' ? 1 : 0;
    const met = this.#windows
      .filter((one) => one.key === key && one.start < time + shape.gap + reach && time < one.end + reach)
      .sort((a, b) => a.start - b.start);
    const start = Math.min(time, ...met.map((one) => one.start));
    const end = Math.max(time + shape.gap, ...met.map((one) => one.end));
    if (this.#watermark >= this.#cleanup(end)) this.late.push(n);
    else this.#put({ key, start, end, elements: [...met.flatMap((one) => one.elements), n] }, met);
  }

  #put(window: OpenWindow, replaced: readonly OpenWindow[]): void {
    this.#windows = [...this.#windows.filter((one) => !replaced.includes(one)), window];
    if (this.#watermark >= this.#closing(window.end)) this.#emit(window);
  }

  #emit({ key, start, end, elements }: OpenWindow): void {
    this.results.push(`${key} [${start},${end}) ${elements.join()}`);
  }

  #closing(end: number): number {
    return this.#settings.mode === 'refire' ? end - 1 : this.#cleanup(end);
  }

  #cleanup(end: number): number {
    return end - 1 + this.#settings.lateness;
  }
}

function assignerOf(shape: Shape): WindowAssigner<unknown> {
  switch (shape.kind) {
    case 'tumbling':
      return TumblingWindow.of(shape.size, { offset: shape.offset });
    case 'sliding':
      return SlidingWindow.of(shape.size, shape.slide);
    case 'session':
      return SessionWindow.withGap(shape.gap, { touching: shape.touching });
  }
}

const shapes: Record<Shape['kind'], fc.Arbitrary<Shape>> = {
  tumbling: fc.integer({ min: 1, max: 12 }).chain((size) =>
    fc.record({
      kind: fc.constant('tumbling' as const),
      size: fc.constant(size),
      offset: fc.integer({ min: 1 - size, max: size - 1 }),
    }),
  ),
  sliding: fc.record({
    kind: fc.constant('sliding' as const),
    size: fc.integer({ min: 1, max: 12 }),
    slide: fc.integer({ min: 1, max: 14 }),
  }),
  session: fc.record({
    kind: fc.constant('session' as const),
    gap: fc.integer({ min: 1, max: 8 }),
    touching: fc.constantFrom('separate' as const, 'merge' as const),
  }),
};

const events: fc.Arbitrary<Event[]> = fc
  .array(fc.record({ key: fc.constantFrom('a', 'b', '__proto__'), step: fc.integer({ min: -8, max: 11 }) }), {
    maxLength: 40,
  })
  .map((steps) => {
    let time = -25;
    return steps.map(({ key, step }) => ({ key, time: (time += step) }));
  });

describe.each(Object.entries(shapes))('%s windows equal the specification', (_kind, shape) => {
  const settings: fc.Arbitrary<Settings> = fc.record({
    shape,
    outOfOrderness: fc.integer({ min: 0, max: 10 }),
    lateness: fc.constantFrom(0, 0, 1, 5, 30),
    mode: fc.constantFrom('refire' as const, 'postpone' as const),
  });

  test.each(['elements', 'sum'] as const)('keeping %s', (keep) => {
    fc.assert(
      fc.property(settings, events, (all, drawn) => {
        const { lateness, mode: latenessMode, outOfOrderness } = all;
        const run = new WindowRun(assignerOf(all.shape), { lateness, latenessMode, keep });
        const model = new Model(all);
        let newest = -Infinity;
        drawn.forEach((event, n) => {
          if (event.time > newest) {
            newest = event.time;
            run.watermark(newest - outOfOrderness - 1);
            model.advance(newest - outOfOrderness - 1);
          }
          run.add(event.key, n, event.time);
          model.add(event, n);
        });
        run.end();
        model.advance(Infinity);
        expect(run.results()).toEqual(keep === 'elements' ? model.results : model.results.map(summed));
        expect(run.late.map(({ value }) => (value as { n: number }).n)).toEqual(model.late);
        expect(run.output('late').values).toEqual(model.late.map((n) => `${drawn[n]?.key} ${n}`));
        expect(run.leftovers()).toEqual([]);
      }),
      { numRuns: 600, seed: 20261130 },
    );
  });
});

/** The model's result with the sum of its elements. */
function summed(result: string): string {
  const [key, window, elements = ''] = result.split(' ');
  return `${key} ${window} ${elements.split(',').reduce((sum, n) => sum + Number(n), 0)}`;
}
