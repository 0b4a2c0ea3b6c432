import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pc from 'picocolors';
import { startRedis } from '@rs/redis-server';
import { CATALOGUE } from './catalogue.ts';
import { RedisBench } from './driver/redis/bench.ts';
import { DRIVERS, redisDrivers } from './drivers.ts';
import type { Driver } from './driver.ts';
import { EXIT_USAGE, parseArguments } from './options.ts';
import { progressBar } from './progress.ts';
import { jsonReport } from './report-json.ts';
import { tableReport } from './report-table.ts';
import { runSuite, type SuiteReport } from './suite.ts';
import { selectVariants, type Variant } from './variant.ts';

const EXIT_DIFFERENT = 1;
/** Runs on Redis wait for it, and those with a crash for the end of a lease. */
const AT_ONCE = 8;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = parseArguments(args, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
  if (typeof options === 'number') return options;
  const variants = selectVariants(CATALOGUE, options.only);
  if (variants.length === 0) {
    process.stderr.write(`error: no case has '${options.only ?? ''}' in its area or name\n`);
    return EXIT_USAGE;
  }
  const report = options.redis ? await runWithRedis(variants) : await run(variants, DRIVERS);
  const colors = pc.createColors(process.stdout.isTTY && pc.isColorSupported);
  await print(options.json ? jsonReport(report) : tableReport(report, colors));
  return report.equal ? 0 : EXIT_DIFFERENT;
}

async function runWithRedis(variants: readonly Variant[]): Promise<SuiteReport> {
  const server = await startRedis();
  const bench = new RedisBench(() => server.url);
  try {
    return await run(variants, [...DRIVERS, ...redisDrivers(bench)]);
  } finally {
    await bench.close();
    await server.stop();
  }
}

async function run(variants: readonly Variant[], drivers: readonly Driver[]): Promise<SuiteReport> {
  const progress = progressBar(process.stderr, variants.length);
  try {
    const onProgress = (done: number): void => progress.update(done);
    return await runSuite(variants, { drivers, concurrency: AT_ONCE, onProgress });
  } finally {
    progress.stop();
  }
}

/** Waits for readers that are slow; one that has gone away, such as `head`, has all it wanted. */
async function print(text: string): Promise<void> {
  try {
    await pipeline(Readable.from([text]), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
