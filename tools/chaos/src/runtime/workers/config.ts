import type { CommonConfig } from '../../processes/worker-main.ts';

/** What a worker is told. */
export interface WorkerConfig extends CommonConfig {
  readonly seed: number;
  /** Records per second of the producer. */
  readonly rate: number;
}
