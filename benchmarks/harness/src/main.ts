import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { type Options, parseArguments } from './options.ts';
import { NoSuchCase, runSuite } from './run-suite.ts';
import { loadSuite, suitesIn } from './suites.ts';

const BENCHMARKS = fileURLToPath(new URL('../..', import.meta.url));
const EXIT_USAGE = 2;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = parseArguments(args, suitesIn(BENCHMARKS));
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
  const { suite, rounds, only, json } = options;
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  try {
    const report = await runSuite(await loadSuite(BENCHMARKS, suite), {
      rounds,
      only,
      say: json ? () => undefined : say,
    });
    if (json) say(JSON.stringify(report, undefined, 2));
    return 0;
  } catch (error) {
    const usage = error instanceof NoSuchCase;
    const text = error instanceof Error ? (usage ? error.message : error.stack) : error;
    process.stderr.write(`${String(text)}\n`);
    return usage ? EXIT_USAGE : 1;
  }
}
