import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pc from 'picocolors';
import { type Options, parseArguments } from './options.ts';
import { progressBar } from './progress.ts';
import type { Outcome } from './run/suite.ts';
import { SUITES } from './suites.ts';

const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;
const SEEDS = 2 ** 32;

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
  const { suite, seconds, json } = options;
  const seed = options.seed ?? randomInt(SEEDS);
  process.stderr.write(`seed ${seed}: npm run chaos -- ${suite} --seconds ${seconds} --seed ${seed}\n`);
  try {
    const outcome = await runWithProgress(options, seed);
    if (outcome === undefined) {
      process.stderr.write('interrupted\n');
      return EXIT_INTERRUPTED;
    }
    const { report } = outcome;
    const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
    await print(json ? `${JSON.stringify(report, undefined, 2)}\n` : outcome.text(colors));
    return report.violations.length === 0 ? 0 : EXIT_FAILED;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT_FAILED;
  }
}

async function runWithProgress(options: Options, seed: number): Promise<Outcome | undefined> {
  const { suite, seconds, rate, keep } = options;
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onInterrupt);
  const progress = progressBar(process.stderr, seconds);
  try {
    return await SUITES[suite]({
      ...{ seed, seconds, rate, keep, signal: interrupt.signal },
      onProgress: (now) => progress.update(now),
    });
  } finally {
    progress.stop();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onInterrupt);
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
  process.stderr.write(`error: the report cannot be written: ${error.message}\n`);
  process.exitCode = EXIT_FAILED;
}
