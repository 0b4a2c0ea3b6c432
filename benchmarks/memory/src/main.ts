import { CommanderError } from 'commander';
import { type Options, parseArguments } from './options.ts';
import { textReport } from './report.ts';
import { memorySuite } from './suite.ts';

const RECORDS = 10_000_000;
const EXIT_USAGE = 2;

process.exitCode = main(process.argv.slice(2));

function main(args: readonly string[]): number {
  let options: Options;
  try {
    options = parseArguments(args);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
  const report = memorySuite({
    rounds: options.rounds,
    records: RECORDS,
    probe: {
      now: () => performance.now(),
      heapUsed: () => process.memoryUsage().heapUsed,
      collectGarbage: () => globalThis.gc?.(),
      rssMb: () => process.resourceUsage().maxRSS / 1024,
    },
  });
  process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : textReport(report));
  return 0;
}
