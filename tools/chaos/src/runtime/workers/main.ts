import { runWorker } from '../../processes/worker-main.ts';
import type { Entry } from '../history/entry.ts';
import type { WorkerConfig } from './config.ts';
import { startProducer } from './producer.ts';
import { startStreamWorker } from './stream-worker.ts';

runWorker<WorkerConfig, Entry>((config, journal) =>
  (config.name === 'producer' ? startProducer : startStreamWorker)(config, journal),
);
