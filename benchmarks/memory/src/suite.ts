import type { Suite } from '@rs/bench-harness';
import { keyedTumblingSum } from './keyed-sum/case.ts';
import { processProbe } from './probe.ts';

const RECORDS = 10_000_000;

export const suite: Suite = {
  name: 'memory',
  open: () => ({ redis: null, cases: [keyedTumblingSum(RECORDS, processProbe)] }),
};
