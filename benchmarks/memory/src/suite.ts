import { sumByLoop } from './keyed-sum/loop.ts';
import { sumByPipeline } from './keyed-sum/pipeline.ts';
import { measure, type Probe } from './measure.ts';
import { caseReport, type SuiteReport } from './report.ts';

export interface SuiteOptions {
  readonly rounds: number;
  readonly records: number;
  readonly probe: Probe & { rssMb(): number };
}

/** @throws Error when a variant has a wrong result */
export function memorySuite({ rounds, records, probe }: SuiteOptions): SuiteReport {
  const variants = [
    { name: 'loop', work: sumByLoop },
    { name: 'pipeline', work: sumByPipeline },
  ].map(({ name, work }) => ({
    name,
    run: (count: number, onRecord: (index: number) => void) => work(count, onRecord).toString(),
  }));
  const [limit, ours] = measure(variants, { records, rounds, probe });
  if (limit === undefined || ours === undefined) throw new Error('the variants were not measured');
  const setting = { name: 'keyed tumbling sum', records, rssMb: probe.rssMb() };
  return {
    suite: 'memory',
    node: process.version,
    redis: null,
    rounds,
    cases: [caseReport(limit, ours, setting)],
  };
}
