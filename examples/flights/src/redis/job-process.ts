/** The process that runs the job: whoever kills it loses nothing. */
import { isRsError, silentLogger } from '@rs/core';
import { type RedisJobClient, RedisStreamExecutionEnvironment } from '@rs/runtime-redis';
import { Redis } from 'ioredis';
import { delayJob } from '../job.ts';
import { storedFlights } from '../source.ts';
import { JOB, alertsSink, lateSink, windowsSink } from './sinks.ts';
import { type JobReport, type JobSettings, SETTINGS_VARIABLE } from './settings.ts';

const REPORT_MS = 5;

// It ends with the process that started it, however that ends.
process.once('disconnect', () => process.exit(1));
// A Ctrl-C in the terminal comes to both; the other one says what is to be done.
process.on('SIGINT', () => undefined);

const { redisUrl, prefix, windowing, outOfOrderness, alerts } = JSON.parse(
  process.env[SETTINGS_VARIABLE] ?? '',
) as JobSettings;
try {
  // A short lease: what a dead process had is another one's after two seconds. And a flight that fails stops the job.
  const env = RedisStreamExecutionEnvironment.create(new Redis(redisUrl, { lazyConnect: true }), {
    jobName: JOB,
    prefix,
    lease: '2s',
    onPoison: 'halt',
    // What goes wrong is told by `awaitTermination`.
    logger: silentLogger,
  });
  const client = await env.run(
    delayJob({
      source: storedFlights,
      windowing,
      outOfOrderness,
      colocated: true,
      windows: windowsSink,
      late: lateSink,
      ...(alerts ? { alerts: alertsSink } : {}),
    }),
  );
  const reports = setInterval(() => tell(progressOf(client)), REPORT_MS);
  try {
    await client.awaitTermination();
  } finally {
    clearInterval(reports);
    await client.close();
  }
  tell({ type: 'finished' });
} catch (error) {
  if (!isRsError(error)) throw error;
  tell({ type: 'failed', message: `${error.code}: ${error.message}` });
}

function tell(report: JobReport): void {
  process.send?.(report);
}

function progressOf(client: RedisJobClient): JobReport {
  const { tasks, pipelines } = client.diagnostics();
  return {
    type: 'progress',
    offsets: tasks.map(({ partition, offset }) => ({ partition, id: offset })),
    ended: pipelines.flatMap(({ ended }) => ended),
  };
}
