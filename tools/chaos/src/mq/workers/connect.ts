import { Redis } from 'ioredis';
import { type Mq, createMq } from '@rs/mq';
import { fileLogger } from '../../journal/file-logger.ts';
import type { WorkerConfig } from './config.ts';

/** An instance of the library for one worker, which writes its log beside the journal. */
export function connect({ port, journal }: WorkerConfig): Mq {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true });
  return createMq({ redis, logger: fileLogger(`${journal}.log`) });
}
