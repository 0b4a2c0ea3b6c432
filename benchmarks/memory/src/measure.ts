/** One way to do the work. */
export interface Variant {
  readonly name: string;
  /**
   * Does all of the work.
   *
   * @param onRecord to be called with each record's number; it looks at the memory now and then
   * @returns what came out, as text
   */
  run(records: number, onRecord: (index: number) => void): string;
}

/** The figures of one variant over all counted rounds. */
export interface Measured {
  readonly name: string;
  /** Records per second. */
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Highest used heap, garbage that waits for collection included. */
  readonly peakHeapMb: number;
}

/** What measuring reads from the process. */
export interface Probe {
  /** Milliseconds from any start. */
  now(): number;
  /** Bytes. */
  heapUsed(): number;
  /** Collects garbage, so that no variant pays for the one before it. */
  collectGarbage(): void;
}

export interface MeasureOptions {
  readonly records: number;
  /** Counted rounds; one more comes first, to warm up. */
  readonly rounds: number;
  readonly probe: Probe;
}

const MB = 1024 * 1024;
/** The heap is looked at once per so many records: a power of two, so that asking costs next to nothing. */
const LOOK_EVERY = 2 ** 17;

/**
 * Runs all variants in turn, round by round, so that a machine that slows down slows down all of them.
 *
 * @throws Error when a variant's result differs from that of the first one
 */
export function measure(variants: readonly Variant[], options: MeasureOptions): Measured[] {
  const { records, rounds, probe } = options;
  const figures = variants.map((variant) => ({ variant, rates: [] as number[], peakHeap: 0 }));
  let expected: string | undefined;
  for (let round = 0; round <= rounds; round++) {
    for (const figure of figures) {
      const onRecord = (index: number): void => {
        if ((index & (LOOK_EVERY - 1)) === 0) figure.peakHeap = Math.max(figure.peakHeap, probe.heapUsed());
      };
      probe.collectGarbage();
      const start = probe.now();
      const result = figure.variant.run(records, onRecord);
      const seconds = (probe.now() - start) / 1000;
      expected ??= result;
      if (result !== expected) {
        throw new Error(`wrong result of ${figure.variant.name}: ${result}; expected: ${expected}`);
      }
      if (round > 0) figure.rates.push(records / seconds);
    }
  }
  return figures.map(({ variant: { name }, rates, peakHeap }) => ({
    name,
    median: median(rates),
    min: Math.min(...rates),
    max: Math.max(...rates),
    peakHeapMb: peakHeap / MB,
  }));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
