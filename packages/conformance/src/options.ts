import { Command, CommanderError } from 'commander';

export interface Options {
  readonly json: boolean;
  /** Runs only the cases with this text in their area or name; `undefined`: all. */
  readonly only: string | undefined;
  /** Runs also on Redis, which has to be found or fetched. */
  readonly redis: boolean;
}

/** Where help and complaints are written. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

export const EXIT_USAGE = 2;

const HELP = `
Every case is run on every driver that supports it. In the table ✓ says that the
results are those expected, ✗ that they are not, – that the driver does not
support the case.

Exit status: 0 when all results are equal, 1 when one is different, 2 for a
wrong option.`;

interface Given {
  readonly json?: true;
  readonly only?: string;
  readonly redis: boolean;
}

/**
 * Reads the command line.
 *
 * @returns the options; or the exit code, when there is nothing to run: 0 after the help, 2 after a one-line complaint
 */
export function parseArguments(args: readonly string[], output: Output): Options | number {
  const command = new Command('conformance')
    .usage('[options]')
    .description('One behaviour suite on all engines.')
    .option('--json', 'print one JSON document instead of a table')
    .option('--only <text>', 'run only the cases with this text in their area or name')
    .option('--no-redis', 'leave out the engine on Redis, and with it the need for one')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text),
      writeErr: (text) => output.err(text),
      // Some complaints come with a suggestion on a second line.
      outputError: (text, write) => write(`${text.trim().replace(/\s+/g, ' ')}\n`),
    });
  try {
    command.parse(args, { from: 'user' });
    const { json = false, only, redis } = command.opts<Given>();
    return { json, only, redis };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}
