import type { WorkerName } from '../schedule/fault.ts';

/** What a worker is told by the environment variable {@link CONFIG_VARIABLE}, as JSON. */
export interface WorkerConfig {
  readonly name: WorkerName;
  /** The name, and the number of the process among those that had it: `consumer-1#3`. */
  readonly incarnation: string;
  readonly seed: number;
  /** The way to Redis on 127.0.0.1. */
  readonly port: number;
  /** Path of its journal; its log has `.log` behind it. */
  readonly journal: string;
  /** Messages per second of the producer. */
  readonly rate: number;
  /** Number of the last message of each key that was confirmed; for the producer. */
  readonly confirmed: Readonly<Record<string, number>>;
}

export const CONFIG_VARIABLE = 'CHAOS_WORKER';

/** Headers of each message: who sent it, and its number among those of its key. */
export const HEADERS = { by: 'by', n: 'n' } as const;

/** What the parent asks of a worker over the channel between them. */
export type WorkerRequest = 'stop';
