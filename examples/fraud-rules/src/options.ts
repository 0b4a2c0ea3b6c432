import { type Duration, durationToMillis, RsError } from '@rs/core';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

export interface Options {
  readonly accounts: number;
  readonly seed: number;
  readonly asJob: boolean;
  /** Milliseconds. */
  readonly outOfOrderness: number;
  readonly json: boolean;
}

/** Where help and complaints are written. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** What the parsers below make of the arguments. */
interface Parsed {
  readonly accounts: number;
  readonly seed: number;
  readonly asJob?: true;
  readonly outOfOrderness: number;
  readonly json?: true;
}

export const DEFAULTS = { accounts: 300, seed: 1, outOfOrderness: 10_000 } as const;

const EXIT_USAGE = 2;
const MAX = { accounts: 9_999, seed: 2 ** 32 - 1 } as const;

const HELP = `
The events are two weeks of logins, payments, changed passwords and
confirmations, about 67 for each account, made from the seed. Each arrives up to
8 seconds after it has happened. Among them are frauds of four kinds, and some
that only look like it: the table says which were found.

Alone, the events are sorted by time and given to matchers, one for each account
and rule. With --as-job, a job reads them as they arrive: they wait until the
latest time so far, minus the out-of-orderness, has reached them, and one that
comes after that is late and takes no part.

The JSON document is { events, late, alerts: [{ rule, account, start, end,
events }] }: alerts ordered by start, account and rule; times in epoch
milliseconds; the ids of the events.

A duration is a number with a unit, such as 250ms, 90s or 5m, or a whole number
of milliseconds.

Exit status: 0 when all went well, 1 when the run failed, 2 for a wrong option,
130 when it was interrupted.`;

/**
 * Reads the command line.
 *
 * @returns the options; or the exit code, when there is nothing to run: 0 after the help, 2 after a one-line complaint
 */
export function parseArguments(args: readonly string[], output: Output): Options | number {
  const command = define(output);
  try {
    command.parse(args, { from: 'user' });
    return toOptions(command);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

function define(output: Output): Command {
  return new Command('demo:fraud')
    .usage('[options]')
    .description('Fraud rules as patterns, found among logins and payments by matchers alone, or in a job.')
    .addOption(count('--accounts <n>', 'accounts to make events of', 'accounts', 1))
    .addOption(count('--seed <n>', 'decides what happens', 'seed', 0))
    .addOption(new Option('--as-job', 'find it with a job, in the order in which the events arrive'))
    .addOption(
      new Option(
        '--out-of-orderness <duration>',
        'with --as-job: how long after a later event an event may arrive, and not be late',
      )
        .argParser(duration)
        .default(DEFAULTS.outOfOrderness, '10s'),
    )
    .addOption(new Option('--json', 'print the alerts as one JSON document instead of tables'))
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text),
      writeErr: (text) => output.err(text),
      // Some complaints come with a suggestion on a second line.
      outputError: (text, write) => write(`${text.trim().replace(/\s+/g, ' ')}\n`),
    });
}

function toOptions(command: Command): Options {
  const { accounts, seed, asJob = false, outOfOrderness, json = false } = command.opts<Parsed>();
  if (!asJob && command.getOptionValueSource('outOfOrderness') === 'cli') {
    command.error(
      "error: option '--out-of-orderness <duration>' needs '--as-job': alone, the events are sorted first",
    );
  }
  return { accounts, seed, asJob, outOfOrderness, json };
}

function count(flags: string, description: string, name: keyof typeof MAX, min: number): Option {
  const read = (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= MAX[name]) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${MAX[name]}.`);
  };
  return new Option(flags, description).argParser(read).default(DEFAULTS[name]);
}

function duration(text: string): number {
  try {
    return durationToMillis(/^\d+$/.test(text) ? Number(text) : (text as Duration), 'It');
  } catch (error) {
    if (error instanceof RsError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}
