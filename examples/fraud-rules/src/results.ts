import type { Alert } from './alert.ts';

export interface Results {
  /** Events read. */
  readonly events: number;
  /** Events that came too late to take part. */
  readonly late: number;
  /** By start, account and rule. */
  readonly alerts: readonly Alert[];
}
