import { Argument, Command, InvalidArgumentError, Option } from 'commander';

export interface Options {
  /** Counted rounds. */
  readonly rounds: number;
  readonly json: boolean;
}

/** Reads the command line; a wrong one ends in a CommanderError, as does `--help`. */
export function parseArguments(args: readonly string[]): Options {
  const command = new Command('bench')
    .description(
      'Measures @rs beside hand-written code. Ratios count; absolute figures drift with the machine.',
    )
    .addArgument(new Argument('<suite>', 'what to measure').choices(['memory']))
    .addOption(
      new Option('--rounds <n>', 'rounds that count; one more comes first, to warm up')
        .argParser(positiveInteger)
        .default(3),
    )
    .addOption(new Option('--json', 'print one JSON document').default(false))
    .exitOverride()
    .parse(args, { from: 'user' });
  return command.opts<Options>();
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
