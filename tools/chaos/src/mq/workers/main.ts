import { runWorker } from '../../processes/worker-main.ts';
import type { Entry } from '../history/entry.ts';
import type { WorkerConfig } from './config.ts';
import { startConsumer } from './consumer.ts';
import { startProducer } from './producer.ts';

runWorker<WorkerConfig, Entry>((config, journal) =>
  (config.name === 'producer' ? startProducer : startConsumer)(config, journal),
);
