import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pc from 'picocolors';
import { isRsError } from '@rs/core';
import { loadAirportNames } from './airports.ts';
import { DemoFailure } from './failure.ts';
import type { Flight } from './flight.ts';
import { loadFlights } from './flights.ts';
import { EXIT_USAGE, type Options, parseArguments } from './options.ts';
import { type Progress, progressBar } from './progress.ts';
import { jsonReport } from './report-json.ts';
import { tableReport } from './report-table.ts';
import type { Results } from './results.ts';
import { type RunOptions, run } from './run.ts';

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
    const flights = (await loadFlights()).slice(0, options.limit);
    if ((options.crashAfter ?? 0) > flights.length) {
      process.stderr.write(
        `error: --crash-after ${options.crashAfter} is more than there are flights: ${flights.length}\n`,
      );
      return EXIT_USAGE;
    }
    const results = await runWithProgress(flights, options);
    if (results === undefined) {
      process.stderr.write('interrupted\n');
      return EXIT_INTERRUPTED;
    }
    await print(options.json ? jsonReport(results) : [await table(results, options)]);
    return 0;
  } catch (error) {
    if (isRsError(error)) process.stderr.write(`error: ${error.code}: ${error.message}\n`);
    else if (error instanceof DemoFailure) process.stderr.write(`error: ${error.message}\n`);
    else throw error;
    return EXIT_FAILED;
  }
}

async function runWithProgress(flights: readonly Flight[], options: Options): Promise<Results | undefined> {
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  const progress = progressBar(process.stderr, flights.length);
  const { windowing, outOfOrderness, partitions, alerts } = options;
  try {
    return await runOn(options, progress, {
      flights,
      windowing,
      outOfOrderness,
      alerts,
      ...(partitions === undefined ? {} : { partitions }),
      onProgress: (done) => progress.update(done),
      signal: interrupt.signal,
    });
  } finally {
    progress.stop();
    process.off('SIGINT', onInterrupt);
  }
}

async function runOn(
  { engine, crashAfter }: Options,
  progress: Progress,
  options: RunOptions,
): Promise<Results | undefined> {
  if (engine === 'memory') return run(options);
  // Only now: in memory none of it is needed.
  const { runOnRedis } = await import('./redis/run-on-redis.ts');
  return runOnRedis({
    ...options,
    ...(crashAfter === undefined ? {} : { crashAfter }),
    say: (text) => progress.note(text),
  });
}

async function table(results: Results, { windowing, outOfOrderness }: Options): Promise<string> {
  return tableReport(results, {
    windowing,
    outOfOrderness,
    airportNames: await loadAirportNames(),
    colors: pc.createColors(process.stdout.isTTY === true && pc.isColorSupported),
  });
}

/** Waits for readers that are slow. What cannot be written is the matter of {@link onUnwritable}. */
async function print(chunks: Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), process.stdout, { end: false });
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
