import { parseArguments } from './options.ts';
import { run } from './run.ts';

const OUTPUT = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
};

const options = parseArguments(process.argv.slice(2), OUTPUT);
process.exitCode = typeof options === 'number' ? options : run(process.cwd(), options, OUTPUT);
