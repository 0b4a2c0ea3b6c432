import type { PointOrder } from '../faults/point-order.ts';
import { type Stamped, Journal } from '../journal/journal.ts';
import type { ProcessEntry } from '../journal/process-entry.ts';
import type { WorkerName } from '../schedule/fault.ts';
import { watchLag } from '../time/lag.ts';
import type { Worker } from './worker.ts';

/** What every worker is told. */
export interface CommonConfig {
  readonly name: WorkerName;
  /** The name, and the number of the process among those that had it: `consumer-1#3`. */
  readonly incarnation: string;
  /** Path of its journal; its log has `.log` behind it. */
  readonly journal: string;
  /** The way to Redis on 127.0.0.1. */
  readonly port: number;
  /** What it is to do to itself, from its first moment on. */
  readonly order?: PointOrder | undefined;
}

/** The environment variable with the configuration of a worker, as JSON. */
export const CONFIG_VARIABLE = 'CHAOS_WORKER';

/** What the parent asks of any worker over the channel between them. */
export const STOP = 'stop';

/** The life of a worker's process: from its configuration to the end of its work, when it is told to stop. */
export function runWorker<Config extends CommonConfig, Entry extends Stamped>(
  start: (config: Config, journal: Journal<Entry | ProcessEntry>) => Worker,
): void {
  // A Ctrl-C in the terminal reaches all processes; the parent tells this one what to do.
  process.on('SIGINT', () => undefined);
  // Without a parent there is nobody to work for.
  process.once('disconnect', () => process.exit());

  const config = JSON.parse(process.env[CONFIG_VARIABLE] ?? '') as Config;
  const journal = new Journal<Entry | ProcessEntry>(config.journal);
  const note: Journal<ProcessEntry> = journal;
  note.write({ type: 'hello' });
  watchLag((millis) => note.write({ type: 'lag', millis }));
  const worker = start(config, journal);
  process.on('message', (request) => {
    if (request === STOP) void worker.stop().then(() => process.exit());
    else worker.told?.(request);
  });
}
