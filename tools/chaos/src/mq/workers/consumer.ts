import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import { DIAGNOSTICS_CHANNELS, isRsError } from '@rs/core';
import { LOAD } from '../load/settings.ts';
import type { Entry } from '../history/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { now } from '../../time/now.ts';
import type { WorkerConfig } from './config.ts';
import { connect } from './connect.ts';
import { Handling } from './handling.ts';
import type { Worker } from '../../processes/worker.ts';

/** Redis may be away when a worker begins. */
const START_AGAIN = 200;

/** What the library says about a partition, whatever else it says with it. */
interface PartitionNews {
  readonly partition: number;
  readonly epoch?: number;
  readonly error?: unknown;
  readonly ids?: readonly string[];
}

/** A member of the group. Which way it handles messages depends on its number, so that a group has all of them. */
export function startConsumer(config: WorkerConfig, journal: Journal<Entry>): Worker {
  const epochs = new Map<number, number>();
  const on = (channel: string, tell: (news: PartitionNews) => void): void => {
    subscribe(channel, (news) => tell(news as PartitionNews));
  };
  on(DIAGNOSTICS_CHANNELS.partitionAcquired, ({ partition, epoch = 0 }) => {
    epochs.set(partition, epoch);
    journal.write({ type: 'acquired', partition, epoch });
  });
  on(DIAGNOSTICS_CHANNELS.partitionReleased, ({ partition }) =>
    journal.write({ type: 'released', partition }),
  );
  on(DIAGNOSTICS_CHANNELS.partitionLost, ({ partition, error }) => {
    const why = isRsError(error) ? error.message : String(error);
    const { refusal = '' } = (isRsError(error) ? error.details : {}) as { refusal?: string };
    journal.write({ type: 'lost', partition, refusal, why });
  });
  on(DIAGNOSTICS_CHANNELS.messagesLost, ({ partition, ids = [] }) =>
    journal.write({ type: 'gone', partition, ids }),
  );

  const mq = connect(config);
  const { topic, group, lease, retry, closeBudget } = LOAD;
  const handling = new Handling({
    seed: config.seed,
    journal,
    epochOf: (partition) => epochs.get(partition) ?? 0,
  });
  const consumer = mq.consumer({ group, name: config.name, lease });
  const variant = Number(config.name.split('-')[1]) % 3;
  if (variant === 0) consumer.subscribe(topic, handling.one, { retry });
  else if (variant === 1) consumer.subscribe(topic, handling.one, { retry, concurrency: 4 });
  else consumer.subscribeBatch(topic, handling.batch, { retry, max: 20 });
  let stopping = false;
  const start = async (): Promise<void> => {
    while (!stopping) {
      try {
        await consumer.start();
        return;
      } catch (error) {
        if (!isRsError(error) || !error.retriable) throw error;
        await pause(START_AGAIN);
      }
    }
  };
  const started = start();

  return {
    stop: async () => {
      stopping = true;
      journal.write({ type: 'closing', budget: closeBudget });
      const began = now();
      const { abandoned, unreleased } = await consumer.close({ timeout: closeBudget });
      journal.write({ type: 'closed', took: now() - began, abandoned, unreleased });
      await mq.close({ timeout: closeBudget });
      await started.catch((error: unknown) => {
        if (!isRsError(error, 'RS_CLOSED')) throw error;
      });
    },
  };
}
