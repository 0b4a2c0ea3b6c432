import { Journal } from '../journal/journal.ts';
import { CONFIG_VARIABLE, type WorkerConfig } from './config.ts';
import { startConsumer } from './consumer.ts';
import { watchLag } from './lag.ts';
import { startProducer } from './producer.ts';

// A Ctrl-C in the terminal reaches all processes; the parent tells this one what to do.
process.on('SIGINT', () => undefined);
// Without a parent there is nobody to work for.
process.once('disconnect', () => process.exit());

const config = JSON.parse(process.env[CONFIG_VARIABLE] ?? '') as WorkerConfig;
const journal = new Journal(config.journal);
journal.write({ type: 'hello' });
watchLag((millis) => journal.write({ type: 'lag', millis }));
const worker = (config.name === 'producer' ? startProducer : startConsumer)(config, journal);
process.once('message', () => {
  void worker.stop().then(() => process.exit());
});
