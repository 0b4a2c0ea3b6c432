import { type Case, highest, peakHeap, type Probe, type Role } from '@rs/bench-harness';
import { sumByLoop } from './loop.ts';
import { sumByPipeline } from './pipeline.ts';
import type { Totals } from './totals.ts';

/** Filter, map and a keyed tumbling sum over so many records. */
export function keyedTumblingSum(records: number, probe: Probe): Case {
  const variant = (
    name: string,
    role: Role,
    work: (records: number, onRecord: (index: number) => void) => Totals,
  ) => {
    // Over all runs, also the one that warms up.
    const peak = peakHeap(probe);
    return {
      name,
      role,
      run: () => {
        probe.collectGarbage();
        const start = probe.now();
        const result = work(records, peak.look).toString();
        const seconds = (probe.now() - start) / 1000;
        return { value: records / seconds, records, result, figures: { peakHeapMb: peak.megabytes() } };
      },
    };
  };
  return {
    name: 'keyed tumbling sum',
    unit: 'records/s',
    figures: {
      peakHeapMb: { of: highest, digits: 1, text: (mb) => `peak heap ${mb} MB` },
      rssMb: { of: highest, digits: 1, text: (mb) => `the process took ${mb} MB at most` },
    },
    open: () => ({
      variants: [variant('loop', 'limit', sumByLoop), variant('@rs', 'ours', sumByPipeline)],
      extra: () => ({ rssMb: probe.rssMb() }),
    }),
  };
}
