import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

export interface Options {
  readonly orders: number;
  readonly partitions: number;
  readonly workers: number;
  readonly seed: number;
  /** `undefined`: `REDIS_URL`, else one that is found or started. */
  readonly redis: string | undefined;
  readonly json: boolean;
}

/** Where help and complaints are written. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

export const DEFAULTS = { orders: 20_000, partitions: 8, workers: 2, seed: 1 } as const;

const EXIT_USAGE = 2;
const MAX = { orders: 1_000_000, partitions: 256, workers: 16, seed: 2 ** 31 } as const;

const HELP = `
The producer sends the orders over a few seconds. When four tenths of them are
handled, one worker is killed (SIGKILL) and a new one started; what it had is
handled by the others once its lease of two seconds has run out.

The JSON document is { sent, handled, duplicates, deadLetters, seconds }:
handled counts orders, each once; duplicates are the times that orders were
handled again; sent = handled + deadLetters.

Without --redis, the Redis of REDIS_URL is used; without that, one is started,
and fetched where there is none. In a Redis that runs already, all keys are
removed in the end, and only those of this run.

Exit status: 0 when all went well, 1 when it did not or an order is missing,
2 for a wrong option, 130 when it was interrupted.`;

/**
 * Reads the command line.
 *
 * @returns the options; or the exit code, when there is nothing to run: 0 after the help, 2 after a one-line complaint
 */
export function parseArguments(args: readonly string[], output: Output): Options | number {
  const command = define(output);
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
  const { json = false, redis, ...counts } = command.opts<Omit<Options, 'json'> & { json?: true }>();
  return { ...counts, redis, json };
}

function define(output: Output): Command {
  return new Command('demo:mq')
    .usage('[options]')
    .description(
      'The orders of a shop through a topic on Redis: a producer, and workers of which one is killed midway.',
    )
    .addOption(count('--orders <n>', 'orders to send', 'orders'))
    .addOption(count('--partitions <n>', 'partitions of the topic', 'partitions'))
    .addOption(count('--workers <n>', 'worker processes', 'workers'))
    .addOption(count('--seed <n>', 'decides which orders fail', 'seed'))
    .addOption(new Option('--redis <url>', 'a Redis that runs already').argParser(redisUrl))
    .addOption(new Option('--json', 'print the counts as one JSON document instead of tables'))
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

function count(flags: string, description: string, name: keyof typeof DEFAULTS): Option {
  const read = (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= MAX[name]) return value;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX[name]}.`);
  };
  return new Option(flags, description).argParser(read).default(DEFAULTS[name]);
}

function redisUrl(text: string): string {
  if (URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It must look like redis://[user:password@]host[:port].');
}
