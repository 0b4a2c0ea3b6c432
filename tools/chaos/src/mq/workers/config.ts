import type { CommonConfig } from '../../processes/worker-main.ts';

/** What a worker is told. */
export interface WorkerConfig extends CommonConfig {
  readonly seed: number;
  /** Messages per second of the producer. */
  readonly rate: number;
  /** Number of the last message of each key that was confirmed; for the producer. */
  readonly confirmed: Readonly<Record<string, number>>;
}

/** Headers of each message: who sent it, and its number among those of its key. */
export const HEADERS = { by: 'by', n: 'n' } as const;
