import { type Case, type Figure, median, type Probe, type Role, type Variant } from '@rs/bench-harness';
import type { Signal } from './input.ts';
import type { Finder, LoopWork } from './work.ts';

/** Sizes of a run, as multiples of the smallest one. */
const SIZES = [1, 2, 4] as const;
const LARGEST = 4;
/** How often a run looks at what is held. */
const LOOKS = 8;

const ratio = (what: string): Figure => ({
  of: median,
  digits: 2,
  text: (value) => `${what} with 4 times the events: ${value} ×`,
});

/** A loop in n, 2n and 4n events: time per event must stay the same, and what is held must be what the pattern says. */
export function loopCase(work: LoopWork, probe: Probe): Case {
  return {
    name: work.name,
    unit: 'records/s',
    figures: {
      nsPerEvent: { of: median, digits: 0, text: (ns) => `${ns} ns per event` },
      heldKb: { of: median, digits: 0, text: (kb) => `${kb} kB held at most` },
      timeRatio: ratio('time per event'),
      heldRatio: ratio('memory held'),
    },
    open: () => {
      const ours = SIZES.map((size) => sizedVariant(work, size, probe));
      const byHand = variant('by hand', 'limit', work, work.events * LARGEST, work.byHand, probe);
      return {
        variants: [byHand, ...ours.map((each) => each.variant)],
        extra: () => ({
          timeRatio: growth(ours, ({ nsPerEvent }) => nsPerEvent),
          heldRatio: growth(ours, ({ heldKb }) => heldKb),
        }),
      };
    },
  };
}

interface Shown {
  readonly nsPerEvent: number;
  /** The most that was held, garbage not included. */
  readonly heldKb: number;
}

interface Sized {
  readonly variant: Variant;
  /** What each run has shown, the one that warms up included. */
  readonly shown: readonly Shown[];
}

function sizedVariant(work: LoopWork, size: number, probe: Probe): Sized {
  const events = work.events * size;
  const expected = fed(work.byHand(), work.signals(events)).result();
  const shown: Shown[] = [];
  const [name, role] = size === LARGEST ? (['@rs', 'ours'] as const) : ([`@rs ${events}`, 'aside'] as const);
  const one = variant(name, role, work, events, work.byMatcher, probe, (result, each) => {
    if (result !== expected) throw new Error(`wrong result of ${name}: ${result}; expected: ${expected}`);
    shown.push(each);
  });
  return { variant: one, shown };
}

function variant(
  name: string,
  role: Role,
  work: LoopWork,
  events: number,
  make: () => Finder,
  probe: Probe,
  check: (result: string, shown: Shown) => void = () => {},
): Variant {
  return {
    name,
    role,
    run: () => {
      probe.collectGarbage();
      const start = probe.now();
      const timed = fed(make(), work.signals(events));
      const millis = probe.now() - start;
      const shown = { nsPerEvent: (millis * 1e6) / events, heldKb: mostHeld(make(), work, events, probe) };
      check(timed.result(), shown);
      return { value: (events / millis) * 1000, records: events, figures: { ...shown } };
    },
  };
}

/** In kilobytes, by looks at the heap without garbage. In a run of its own: collecting takes its time, and makes code slow. */
function mostHeld(finder: Finder, work: LoopWork, events: number, probe: Probe): number {
  probe.collectGarbage();
  const before = probe.heapUsed();
  const every = Math.ceil(events / LOOKS);
  let [most, taken] = [0, 0];
  for (const signal of work.signals(events)) {
    finder.take(signal);
    if (++taken % every !== 0 && taken < events) continue;
    probe.collectGarbage();
    most = Math.max(most, probe.heapUsed() - before);
  }
  // What it holds must not be garbage before this.
  finder.result();
  return most / 1024;
}

function fed(finder: Finder, signals: Iterable<Signal>): Finder {
  for (const signal of signals) finder.take(signal);
  return finder;
}

/** Of the largest run to the smallest, by their medians without the rounds that warm up. */
function growth(sizes: readonly Sized[], of: (shown: Shown) => number): number {
  const [smallest, largest] = [sizes[0], sizes.at(-1)].map((size) =>
    median((size?.shown ?? []).slice(1).map(of)),
  );
  return (largest ?? NaN) / (smallest ?? NaN);
}
