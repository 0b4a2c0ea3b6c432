import type { Settings } from './case.ts';

/**
 * A watermark that stays behind everything: nothing fires before the input ends, so nothing is late, whatever partitions are
 * read in which order.
 */
export const PATIENT: Settings = { watermarkOutOfOrderness: '1d' };
