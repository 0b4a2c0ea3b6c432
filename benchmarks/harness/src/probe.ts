/** What measuring reads from the process. */
export interface Probe {
  /** Milliseconds from any start. */
  now(): number;
  /** Bytes. */
  heapUsed(): number;
  /** Highest resident memory so far. */
  rssMb(): number;
  /** Collects garbage, so that no variant pays for the one before it. */
  collectGarbage(): void;
}

export const processProbe: Probe = {
  now: () => performance.now(),
  heapUsed: () => process.memoryUsage().heapUsed,
  rssMb: () => process.resourceUsage().maxRSS / 1024,
  collectGarbage: () => globalThis.gc?.(),
};

const MB = 1024 * 1024;
/** The heap is looked at once per so many records: a power of two, so that asking costs next to nothing. */
const LOOK_EVERY = 2 ** 17;

/** Highest used heap, garbage that waits for collection included. `look` is to be called with each record's number. */
export function peakHeap(probe: Pick<Probe, 'heapUsed'>): {
  readonly look: (index: number) => void;
  readonly megabytes: () => number;
} {
  let peak = 0;
  return {
    look: (index) => {
      if ((index & (LOOK_EVERY - 1)) === 0) peak = Math.max(peak, probe.heapUsed());
    },
    megabytes: () => peak / MB,
  };
}
