import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { isRsError } from '@rs/core';
import { ioredisDriver } from '@rs/redis';
import { type RedisJobClient, RedisStreamExecutionEnvironment } from '@rs/runtime-redis';
import type { PointOrder } from '../../faults/point-order.ts';
import { fileLogger } from '../../journal/file-logger.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Worker } from '../../processes/worker.ts';
import { hash } from '../../seed/hash.ts';
import { now } from '../../time/now.ts';
import type { Entry } from '../history/entry.ts';
import { ENGINE, LOAD } from '../load/settings.ts';
import type { WorkerConfig } from './config.ts';
import { jobOf } from './job.ts';
import { note } from './notes.ts';
import { Once } from './once.ts';
import { Points } from './points.ts';
import { scriptNames } from './scripts.ts';
import { TappedDriver } from './tapped-driver.ts';

/** Redis may be away when a worker begins. */
const START_AGAIN = 200;
/** How long the job may run: until it is stopped. */
const FOR_EVER = '24h';

/** A process that runs the job. */
export function startStreamWorker(config: WorkerConfig, journal: Journal<Entry>): Worker {
  const { seed, port, incarnation, name, order } = config;
  const points = new Points(() => process.kill(process.pid, 'SIGKILL'));
  points.take(order);
  const driver = new TappedDriver(
    ioredisDriver(new Redis({ host: '127.0.0.1', port, lazyConnect: true })),
    scriptNames(),
    {
      sending: (call) => points.sending(call),
      answered: (call, reply) => {
        note(journal, call, reply);
        return points.answered(call);
      },
    },
  );
  const job = jobOf({
    seed,
    once: new Once(seed, (place) => journal.write({ type: 'threw', place })),
    deliver: (count) => journal.write({ type: 'delivered', ...count }),
  });
  const logger = fileLogger(`${config.journal}.log`);

  let stopping = false;
  const start = async (): Promise<RedisJobClient | undefined> => {
    while (!stopping) {
      try {
        const options = { ...ENGINE, jobName: LOAD.job, jobInstanceId: name, logger };
        return await RedisStreamExecutionEnvironment.create(driver, options).run(job);
      } catch (error) {
        if (!isRsError(error) || !error.retriable) throw error;
        await pause(START_AGAIN);
      }
    }
    return undefined;
  };
  const client = start();
  void client.then(async (running) => {
    if (running !== undefined) journal.write({ type: 'ready' });
    try {
      await running?.awaitTermination(FOR_EVER);
    } catch (error) {
      journal.write({
        type: 'failed',
        why: isRsError(error) ? `${error.code}: ${error.message}` : String(error),
      });
    }
  });

  return {
    told: (request) => points.take(request as PointOrder),
    stop: async () => {
      stopping = true;
      journal.write({ type: 'stopping', budget: LOAD.stopBudget });
      const began = now();
      // Both ways to stop come up: what is under way is brought to its end, or left to the next owner.
      const drain = hash(seed, incarnation, 'drain') % 2 === 0;
      await (await client)?.stop({ drain, timeout: LOAD.stopBudget });
      journal.write({ type: 'stopped', took: now() - began });
    },
  };
}
