import { DemoFailure } from '../failure.ts';
import { formatCountOf } from '../format.ts';
import { alertsInOrder, inOrder, type Results } from '../results.ts';
import type { RunOptions } from '../run.ts';
import { type FlightsRedis, openRedis } from './flights-redis.ts';
import { RunningJob } from './running-job.ts';
import { sendFlights, type SentFlights } from './sent-flights.ts';
import { countLate, readAlerts, readWindows } from './sinks.ts';

export interface RedisRunOptions extends RunOptions {
  /** Kills the process of the job when so many flights are committed, and starts it again. Default: it is left alone. */
  readonly crashAfter?: number;
  /** Is told of what happens besides. */
  readonly say: (text: string) => void;
}

/**
 * Sends the flights to a topic on Redis and runs the job in a process of its own. `onProgress` is called with the number of
 * flights whose results are committed.
 *
 * @returns the results, or `undefined` when the run was cancelled
 * @throws RsError; DemoFailure when there is no Redis, or the job fails
 */
export async function runOnRedis(options: RedisRunOptions): Promise<Results | undefined> {
  const server = await openRedis();
  try {
    const { redis, prefix } = server;
    const partitions = options.partitions ?? 1;
    const sent = await sendFlights({ redis, prefix, partitions }, options.flights);
    if (!(await workOff(options, server, sent))) return undefined;
    const place = { prefix, partitions };
    return {
      records: options.flights.length,
      late: await countLate(redis, place),
      windows: inOrder(await readWindows(redis, place)),
      ...(options.alerts === true ? { alerts: alertsInOrder(await readAlerts(redis, place)) } : {}),
    };
  } finally {
    await server.close();
  }
}

/** @returns false when the run was cancelled */
async function workOff(options: RedisRunOptions, server: FlightsRedis, sent: SentFlights): Promise<boolean> {
  const { windowing, outOfOrderness, alerts = false, flights, onProgress, signal, say } = options;
  const settings = { redisUrl: server.url, prefix: server.prefix, windowing, outOfOrderness, alerts };
  let crashAt = options.crashAfter ?? Infinity;
  const cancelled = (): boolean => signal?.aborted === true;
  while (!cancelled()) {
    let committed = 0;
    const job = new RunningJob(settings, (report) => {
      committed = sent.committed(report);
      onProgress?.(committed);
      if (committed >= crashAt) void job.kill();
    });
    const onAbort = (): void => void job.kill();
    signal?.addEventListener('abort', onAbort);
    try {
      const end = await job.end;
      if (end.type === 'failed') throw new DemoFailure(end.message);
      if (end.type === 'finished') {
        // Quicker than it could be killed.
        if (crashAt === Infinity) return true;
        committed = flights.length;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      await job.kill();
    }
    if (cancelled()) return false;
    if (crashAt === Infinity) throw new DemoFailure('the process of the job was killed by somebody else');
    crashAt = Infinity;
    say(`killed when ${formatCountOf(committed, 'flight')} were committed; started again`);
  }
  return false;
}
