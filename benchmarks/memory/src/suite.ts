import { processProbe, type Suite } from '@rs/bench-harness';
import { keyedTumblingSum } from './keyed-sum/case.ts';

const RECORDS = 10_000_000;

export const suite: Suite = {
  name: 'memory',
  open: () => ({ redis: null, cases: [keyedTumblingSum(RECORDS, processProbe)] }),
};
