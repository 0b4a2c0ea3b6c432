import { Argument, Command, InvalidArgumentError, Option } from 'commander';

export interface Options {
  readonly suite: string;
  /** Counted rounds. */
  readonly rounds: number;
  readonly json: boolean;
  /** Part of the names of the cases that are run; `undefined` for all. */
  readonly only: string | undefined;
}

/** Reads the command line; a wrong one ends in a CommanderError, as does `--help`. */
export function parseArguments(args: readonly string[], suites: readonly string[]): Options {
  const command = new Command('bench')
    .description(
      'Measures @rs beside hand-written code and other libraries. Ratios count; absolute figures drift with the machine.',
    )
    .addArgument(new Argument('<suite>', 'what to measure').choices(suites))
    .addOption(
      new Option('--rounds <n>', 'rounds that count; one more comes first, to warm up')
        .argParser(positiveInteger)
        .default(3),
    )
    .addOption(new Option('--only <text>', 'runs the cases with this text in their names'))
    .addOption(new Option('--json', 'print one JSON document').default(false))
    .exitOverride()
    .parse(args, { from: 'user' });
  const { rounds, json, only } = command.opts<{ rounds: number; json: boolean; only?: string }>();
  return { suite: command.args[0] ?? '', rounds, json, only };
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
