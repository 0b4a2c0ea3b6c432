import { StreamExecutionEnvironment } from '@rs/runtime-memory';
import type { Flight } from './flight.ts';
import { type WindowDelays, delayJob } from './job.ts';
import { type Results, alertsInOrder, inOrder } from './results.ts';
import type { DelayAlert } from './rising-delays.ts';
import { collectionSource, topicSource } from './source.ts';
import type { Windowing } from './windowing.ts';

export interface RunOptions {
  /** In the order of their arrival. */
  readonly flights: readonly Flight[];
  readonly windowing: Windowing;
  /** Milliseconds. */
  readonly outOfOrderness: number;
  /**
   * Sends the flights to a topic with as many partitions first, by destination, and reads them from there. Default: they
   * are read from the array.
   */
  readonly partitions?: number;
  /** Looks for alerts too. Default false. */
  readonly alerts?: boolean;
  /** Called with the number of flights read so far, before each is processed. */
  readonly onProgress?: (flights: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs the job in this process.
 *
 * @returns the results, or `undefined` when the run was cancelled
 * @throws RsError when the job fails
 */
export async function run(options: RunOptions): Promise<Results | undefined> {
  const windows: WindowDelays[] = [];
  const alerts: DelayAlert[] | undefined = options.alerts === true ? [] : undefined;
  let records = 0;
  let late = 0;
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  const source =
    options.partitions === undefined
      ? collectionSource(options.flights)
      : topicSource(env.topics, options.flights, options.partitions);
  const job = delayJob({
    source: (declared) =>
      source(declared).map((flight) => {
        records += 1;
        options.onProgress?.(records);
        return flight;
      }),
    windowing: options.windowing,
    outOfOrderness: options.outOfOrderness,
    windows: (delays) => void windows.push(delays),
    late: () => void (late += 1),
    ...(alerts === undefined ? {} : { alerts: (alert) => void alerts.push(alert) }),
  });
  const { status } = await env.executeAsync(
    job,
    options.signal === undefined ? {} : { signal: options.signal },
  );
  if (status !== 'finished') return undefined;
  const results = { records, late, windows: inOrder(windows) };
  return alerts === undefined ? results : { ...results, alerts: alertsInOrder(alerts) };
}
