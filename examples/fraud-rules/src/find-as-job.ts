import { StreamExecutionEnvironment } from '@rs/runtime-memory';
import type { AccountEvent } from './account-event.ts';
import { type Alert, inOrder } from './alert.ts';
import { fraudJob } from './job.ts';
import type { Results } from './results.ts';

export interface JobRunOptions {
  /** Milliseconds. */
  readonly outOfOrderness: number;
  /** Called with the number of events read so far, before each is processed. */
  readonly onProgress?: (events: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Finds fraud with a job that runs in this process.
 *
 * @param events in the order of their arrival
 * @returns the results, or `undefined` when the run was cancelled
 * @throws RsError when the job fails
 */
export async function findAsJob(
  events: readonly AccountEvent[],
  { outOfOrderness, onProgress, signal }: JobRunOptions,
): Promise<Results | undefined> {
  const alerts: Alert[] = [];
  let read = 0;
  let late = 0;
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  const job = fraudJob({
    source: (declared) =>
      declared.fromCollection(events).map((event) => {
        read += 1;
        onProgress?.(read);
        return event;
      }),
    outOfOrderness,
    alerts: (alert) => void alerts.push(alert),
    late: () => void (late += 1),
  });
  const { status } = await env.executeAsync(job, signal === undefined ? {} : { signal });
  return status === 'finished' ? { events: read, late, alerts: inOrder(alerts) } : undefined;
}
