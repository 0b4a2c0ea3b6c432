import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { isRsError } from '@rs/core';
import { createMq } from '@rs/mq';
import { fileLogger } from '../../journal/file-logger.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Worker } from '../../processes/worker.ts';
import { now } from '../../time/now.ts';
import type { Entry } from '../history/entry.ts';
import { type NewRecord, lastRecords, recordOf } from '../load/records.ts';
import { LOAD } from '../load/settings.ts';
import type { WorkerConfig } from './config.ts';

/** A producer that was held up does not make up for all of it at once. */
const MAX_PORTION = 100;
const LOOK_AGAIN = 50;
const SEND_AGAIN = 200;

/** Sends the numbered records, and at the end, when all are confirmed or refused, those behind which nothing is due any more. */
export function startProducer(config: WorkerConfig, journal: Journal<Entry>): Worker {
  const { seed, rate, port } = config;
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true });
  const mq = createMq({ redis, logger: fileLogger(`${config.journal}.log`) });
  const producer = mq.producer();
  let sent = 0;
  let unconfirmed = 0;

  const send = async ({ n, key, time }: NewRecord): Promise<boolean> => {
    journal.write({ type: 'sent', n });
    unconfirmed++;
    try {
      const receipt = await producer.send(LOAD.topic, { key, value: { n }, timestamp: time });
      journal.write({ type: 'confirmed', n, ...receipt });
      return true;
    } catch (error) {
      journal.write({ type: 'refused', n, code: isRsError(error) ? error.code : String(error) });
      return false;
    } finally {
      unconfirmed--;
    }
  };

  let last = now();
  let due = 0;
  const timer = setInterval(() => {
    const at = now();
    due = Math.min(MAX_PORTION, due + ((at - last) / 1_000) * rate);
    last = at;
    for (; due >= 1 && unconfirmed < LOAD.maxUnconfirmed; due--) void send(recordOf(seed, ++sent));
  }, LOAD.tick);

  return {
    stop: async () => {
      clearInterval(timer);
      while (unconfirmed > 0) await pause(LOOK_AGAIN);
      for (const record of lastRecords(sent)) while (!(await send(record))) await pause(SEND_AGAIN);
      await producer.close();
      await mq.close();
    },
  };
}
