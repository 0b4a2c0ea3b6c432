import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pc from 'picocolors';
import { CATALOGUE } from './catalogue.ts';
import { DRIVERS } from './drivers.ts';
import { EXIT_USAGE, parseArguments } from './options.ts';
import { progressBar } from './progress.ts';
import { jsonReport } from './report-json.ts';
import { tableReport } from './report-table.ts';
import { runSuite } from './suite.ts';
import { selectVariants } from './variant.ts';

const EXIT_DIFFERENT = 1;

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
  const progress = progressBar(process.stderr, variants.length);
  const report = await runSuite(variants, { drivers: DRIVERS, onProgress: (done) => progress.update(done) });
  progress.stop();
  const colors = pc.createColors(process.stdout.isTTY && pc.isColorSupported);
  await print(options.json ? jsonReport(report) : tableReport(report, colors));
  return report.equal ? 0 : EXIT_DIFFERENT;
}

/** Waits for readers that are slow; one that has gone away, such as `head`, has all it wanted. */
async function print(text: string): Promise<void> {
  try {
    await pipeline(Readable.from([text]), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
