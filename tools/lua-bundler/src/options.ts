import { Command, CommanderError } from 'commander';

export interface Options {
  /** Only compares the generated file with the scripts. */
  readonly check: boolean;
}

/** Where help and complaints are written. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

export const EXIT_USAGE = 2;

const HELP = `
Run it in the folder of a package. It reads src/lua/*.lua and
src/lua/include/*.lua and writes src/lua/scripts.generated.ts.

Exit status: 0 when all is good, 1 when something is wrong with a script or,
with --check, when the generated file is not fresh, 2 for a wrong option.`;

/**
 * Reads the command line.
 *
 * @returns the options; or the exit code, when there is nothing to do: 0 after the help, 2 after a one-line complaint
 */
export function parseArguments(args: readonly string[], output: Output): Options | number {
  const command = new Command('lua-bundler')
    .usage('[options]')
    .description('Checks the Lua scripts of a package and writes them as a typed TypeScript module.')
    .option('--check', 'write nothing, fail when the generated file is not fresh')
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
    const { check = false } = command.opts<{ readonly check?: true }>();
    return { check };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}
