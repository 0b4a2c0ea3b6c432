import { type Duration, RsError, durationToMillis, positiveDurationToMillis } from '@rs/core';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Windowing, assignerOf } from './windowing.ts';

export interface Options {
  readonly windowing: Windowing;
  /** Milliseconds. */
  readonly outOfOrderness: number;
  /** `undefined`: all flights. */
  readonly limit: number | undefined;
  /** `undefined`: the flights do not go through a topic. */
  readonly partitions: number | undefined;
  readonly engine: Engine;
  /** `undefined`: nothing is killed. */
  readonly crashAfter: number | undefined;
  readonly alerts: boolean;
  readonly json: boolean;
}

export type Engine = (typeof ENGINES)[number];

/** Where help and complaints are written. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** What the parsers below make of the arguments. */
interface Parsed {
  readonly window: number;
  readonly slide?: number;
  readonly session?: number;
  readonly outOfOrderness: number;
  readonly limit?: number;
  readonly partitions?: number;
  readonly engine: Engine;
  readonly crashAfter?: number;
  readonly alerts?: true;
  readonly json?: true;
}

export const EXIT_USAGE = 2;
const ENGINES = ['memory', 'redis'] as const;
/** Each partition of the topic sends to each of as many that count the delays. */
const MAX_PARTITIONS = 256;

const HELP = `
A duration is a number with a unit, such as 250ms, 90s, 30m, 1.5h or 1d, or a
whole number of milliseconds.

The flights arrive in the order of their real departures, so one with a long
delay comes after flights that were scheduled later. The clock of the stream is
the latest scheduled departure so far, minus the out-of-orderness. A window is
complete when this clock reaches its end. A flight that comes when all of its
windows are complete is late: it is counted as late, and in no window.

With --alerts a pattern is looked for too: at one airport three departures in a
row by scheduled time, those of one minute in the order of the data set, each
with a longer delay than the one before, the last above 60 minutes and less
than 3h after the first. No flight is in two alerts. A flight that comes when
the clock has passed its scheduled departure takes no part, whatever becomes
of its windows.

With --partitions each partition is read in the order of its flights and has a
clock of its own, and the delays of an airport come together from all of them:
their time is that of the slowest partition, for windows and for alerts. So
fewer flights are late than in one sequence; with --out-of-orderness 1d none is,
and the results are the same.

With --engine redis the flights always go through a topic, on the Redis of
REDIS_URL, else on one that is found or fetched, and started. The job runs in a
process of its own. Their messages are those of their origin there, so each
airport is in one partition, and its time is that of this partition alone.

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
  return new Command('demo')
    .usage('[options]')
    .description('Delays of 20,000 real flights by airport and window, computed from an out-of-order stream.')
    .addOption(
      new Option('--window <duration>', 'length of a window')
        .argParser(positiveDuration)
        .default(86_400_000, '1d'),
    )
    .addOption(
      new Option(
        '--slide <duration>',
        'distance between the starts of two windows; below the length they overlap, above it they leave gaps, whose ' +
          'flights count nowhere (default: the length)',
      ).argParser(positiveDuration),
    )
    .addOption(
      new Option(
        '--session <gap>',
        "instead of fixed windows, one per series of an airport's flights, which ends after this long without one",
      )
        .argParser(positiveDuration)
        .conflicts(['window', 'slide']),
    )
    .addOption(
      new Option(
        '--out-of-orderness <duration>',
        'how long after a flight that was scheduled later a flight may arrive, and not be late',
      )
        .argParser(duration)
        .default(86_400_000, '1d'),
    )
    .addOption(
      new Option('--limit <n>', 'read only the first n flights that arrive').argParser(positiveInteger),
    )
    .addOption(
      new Option(
        '--partitions <n>',
        'send the flights to a topic with n partitions, by their destination, and read them from there',
      ).argParser(partitionCount),
    )
    .addOption(
      new Option('--engine <name>', 'what runs the job').choices(ENGINES).default('memory' satisfies Engine),
    )
    .addOption(
      new Option(
        '--crash-after <n>',
        'with --engine redis: kill the process of the job (SIGKILL) when n flights are committed, and start it again',
      ).argParser(positiveInteger),
    )
    .addOption(
      new Option(
        '--alerts',
        'also tell where three departures in a row had longer and longer delays, the last above 60 minutes',
      ),
    )
    .addOption(new Option('--json', 'print all windows as one JSON document instead of a table'))
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
  const {
    window: size,
    slide,
    session,
    outOfOrderness,
    limit,
    partitions,
    engine,
    crashAfter,
    alerts = false,
    json = false,
  } = command.opts<Parsed>();
  if (crashAfter !== undefined && engine !== 'redis') {
    command.error(
      "error: option '--crash-after <n>' needs '--engine redis': nothing outlives a crash in memory",
    );
  }
  const windowing = windowingOf(size, slide, session);
  try {
    assignerOf(windowing);
  } catch (error) {
    if (error instanceof RsError) command.error(`error: ${error.message}`);
    throw error;
  }
  return { windowing, outOfOrderness, limit, partitions, engine, crashAfter, alerts, json };
}

function windowingOf(size: number, slide: number | undefined, session: number | undefined): Windowing {
  if (session !== undefined) return { kind: 'session', gap: session };
  return slide === undefined ? { kind: 'tumbling', size } : { kind: 'sliding', size, slide };
}

function duration(text: string): number {
  return readWith(durationToMillis, text);
}

function positiveDuration(text: string): number {
  return readWith(positiveDurationToMillis, text);
}

function readWith(toMillis: (duration: Duration, what: string) => number, text: string): number {
  try {
    return toMillis(/^\d+$/.test(text) ? Number(text) : (text as Duration), 'It');
  } catch (error) {
    if (error instanceof RsError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

function partitionCount(text: string): number {
  const partitions = positiveInteger(text);
  if (partitions <= MAX_PARTITIONS) return partitions;
  throw new InvalidArgumentError(`It must be at most ${MAX_PARTITIONS}.`);
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
