import type { Driver } from './driver.ts';
import { batched, batchedWithFaults } from './driver/batched.ts';
import { chained } from './driver/chained.ts';
import { memoryAsync, memoryEager } from './driver/memory.ts';

/** All engines, each in the ways that it can run a job. The first is what others are compared with where nothing else is. */
export const DRIVERS: readonly Driver[] = [
  chained,
  memoryEager,
  memoryAsync,
  batched(1),
  batched(7),
  batched(500),
  batchedWithFaults,
];
