import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRsError } from '@rs/core';
import pc from 'picocolors';
import type { AccountEvent } from './account-event.ts';
import { generate } from './data/generate.ts';
import { findAlone } from './find-alone.ts';
import { type Options, parseArguments } from './options.ts';
import { progressBar } from './progress.ts';
import { jsonReport } from './report-json.ts';
import { tableReport } from './report-table.ts';
import type { Results } from './results.ts';

const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;

process.stdout.on('error', onUnwritable);
const code = await main(process.argv.slice(2));
// Unless stdout has failed meanwhile.
process.exitCode ??= code;

async function main(args: readonly string[]): Promise<number> {
  const options = parseArguments(args, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
  if (typeof options === 'number') return options;
  try {
    const data = generate(options);
    const results = await find(data.events, options);
    if (results === undefined) {
      process.stderr.write('interrupted\n');
      return EXIT_INTERRUPTED;
    }
    const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
    const { asJob } = options;
    await print(options.json ? jsonReport(results) : tableReport(results, { data, asJob, colors }));
    return 0;
  } catch (error) {
    if (!isRsError(error)) throw error;
    process.stderr.write(`error: ${error.code}: ${error.message}\n`);
    return EXIT_FAILED;
  }
}

/** @returns `undefined` when it was interrupted */
async function find(
  events: readonly AccountEvent[],
  { asJob, outOfOrderness }: Options,
): Promise<Results | undefined> {
  const progress = progressBar(process.stderr, events.length);
  const onProgress = (read: number): void => progress.update(read);
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  try {
    if (!asJob) return findAlone(events, onProgress);
    process.once('SIGINT', onInterrupt);
    // Only now: alone none of it is needed.
    const { findAsJob } = await import('./find-as-job.ts');
    return await findAsJob(events, { outOfOrderness, onProgress, signal: interrupt.signal });
  } finally {
    progress.stop();
    process.off('SIGINT', onInterrupt);
  }
}

/** Waits for readers that are slow. What cannot be written is the matter of {@link onUnwritable}. */
async function print(text: string): Promise<void> {
  try {
    await pipeline(Readable.from([text]), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'write') throw error;
  }
}

/** A reader that has gone away, such as `head`, has all it wanted. */
function onUnwritable(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: the result cannot be written: ${error.message}\n`);
  process.exitCode = EXIT_FAILED;
}
