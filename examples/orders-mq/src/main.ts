import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pc from 'picocolors';
import { isRsError } from '@rs/mq';
import { DemoFailure } from './demo/failure.ts';
import { type Options, parseArguments } from './demo/options.ts';
import { showProgress } from './demo/progress.ts';
import { jsonReport } from './demo/report-json.ts';
import { tableReport } from './demo/report-table.ts';
import { type Results, addsUp } from './demo/results.ts';
import { run } from './demo/run.ts';

const EXIT_FAILED = 1;
const EXIT_SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

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
    const results = await runWithProgress(options);
    if (typeof results === 'number') {
      process.stderr.write('interrupted\n');
      return results;
    }
    const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
    await print(options.json ? jsonReport(results) : tableReport(results, colors));
    if (addsUp(results)) return 0;
    const { sent, handled, deadLetters } = results;
    process.stderr.write(
      `error: ${sent} were sent, but ${handled} handled and ${deadLetters} dead letters\n`,
    );
    return EXIT_FAILED;
  } catch (error) {
    if (isRsError(error)) process.stderr.write(`error: ${error.code}: ${error.message}\n`);
    else if (error instanceof DemoFailure) process.stderr.write(`error: ${error.message}\n`);
    else throw error;
    return EXIT_FAILED;
  }
}

/** @returns the exit code when it was interrupted */
async function runWithProgress(options: Options): Promise<Results | number> {
  const interrupt = new AbortController();
  let interrupted = 0;
  const onSignal = (signal: keyof typeof EXIT_SIGNALS): void => {
    interrupted = EXIT_SIGNALS[signal];
    interrupt.abort();
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = showProgress(process.stderr, options.orders);
  try {
    return (await run({ ...options, progress, signal: interrupt.signal })) ?? interrupted;
  } finally {
    progress.stop();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
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
