import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';

export const SUITE_NAMES = ['mq', 'runtime'] as const;
export type SuiteName = (typeof SUITE_NAMES)[number];

export interface Options {
  readonly suite: SuiteName;
  readonly seconds: number;
  /** `undefined`: a random one. */
  readonly seed: number | undefined;
  readonly rate: number;
  readonly keep: boolean;
  readonly json: boolean;
}

/** Where help and complaints are written. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

const EXIT_USAGE = 2;
const MAX_SEED = 2 ** 32 - 1;

const HELP = `
mq: a producer and three consumers of @rs/mq. runtime: a producer, and a job of
@rs/runtime-redis in three processes that counts, fires windows and timers, and
writes to every kind of sink.

All are processes of their own against a Redis with an append-only file
(appendfsync always). Meanwhile processes are killed, stopped and closed, also
in the middle of a call; the server crashes and restarts, groups and scripts
vanish, networks delay, lose, swallow and half-close, and user code fails. Then
what each process wrote down, and what Redis holds, is held against what the
packages promise.

The seed decides on the faults, their times and targets, and on the messages and
what is done with them. The machine's own timing it cannot decide.

Exit status: 0 when every promise was kept, 1 when one was broken or the run
failed, 2 for a wrong option, 130 when it was interrupted.`;

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
  const {
    seconds,
    seed,
    rate,
    keep = false,
    json = false,
  } = command.opts<Partial<Options> & Pick<Options, 'seconds' | 'rate'>>();
  const suite = command.processedArgs[0] as SuiteName;
  return { suite, seconds, seed, rate, keep, json };
}

function define(output: Output): Command {
  return new Command('chaos')
    .description('Runs @rs/mq or @rs/runtime-redis under faults and checks its promises.')
    .addArgument(new Argument('<suite>', 'what to run').choices(SUITE_NAMES))
    .addOption(
      new Option('--seconds <n>', 'how long to run with faults').argParser(positiveInteger).default(60),
    )
    .addOption(
      new Option('--seed <n>', 'of everything that is left to chance (default: a random one)').argParser(
        seedOf,
      ),
    )
    .addOption(
      new Option('--rate <n>', 'messages or records per second').argParser(positiveInteger).default(300),
    )
    .addOption(new Option('--keep', 'keep the journals of all processes also when every promise was kept'))
    .addOption(new Option('--json', 'print the report as one JSON document'))
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

function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

function seedOf(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= MAX_SEED) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${MAX_SEED}.`);
}
