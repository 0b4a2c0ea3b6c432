import { join } from 'node:path';
import { FileCheckpointStorage, StreamExecutionEnvironment } from '../index.ts';
import { FileSink } from './file-sink.ts';
import { numbersJob } from './numbers-job.ts';

// A program that a test starts again and again: node … killed-program.ts <directory> <what> <how often>.
// It kills itself when it comes to <what> for the <how often>th time.

const [, , directory = '.', what, howOften] = process.argv;
let left = Number(howOften);

function step(call: string): void {
  if (call === what && --left === 0) process.kill(process.pid, 'SIGKILL');
}

const storage = new FileCheckpointStorage(join(directory, 'checkpoints'));
const env = StreamExecutionEnvironment.getExecutionEnvironment().enableCheckpointing({ storage });
const coordinator = env.getCheckpointCoordinator();
const sink = new FileSink(join(directory, 'results'), step);
let asked: number | undefined;
const job = numbersJob(sink, {
  // How far storing has come by then must not depend on the machine.
  read: async (n) => {
    if (n % 10 === 5 && asked !== undefined) await stored(asked);
  },
  process: (n) => {
    step('record');
    if (n % 10 === 9) asked = coordinator?.triggerCheckpoint();
  },
});

async function stored(checkpointId: number): Promise<void> {
  while ((await coordinator?.getCheckpoint(checkpointId))?.completed !== true)
    await new Promise((resolve) => setImmediate(resolve));
}

const { status } = await env.executeAsync(job);
await storage.close();
process.stdout.write(`${status}\n`);
