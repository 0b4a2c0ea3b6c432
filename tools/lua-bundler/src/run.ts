import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import type { Options, Output } from './options.ts';
import { problemLines } from './problem.ts';
import { LUA_FOLDER, readSources } from './sources.ts';

export const GENERATED = `${LUA_FOLDER}/scripts.generated.ts`;

const EXIT_WRONG = 1;

/**
 * Writes the generated file of a package, or checks that it is fresh.
 *
 * @returns the exit code
 */
export function run(packageFolder: string, { check }: Options, output: Output): number {
  const command = `npx nx run ${packageName(packageFolder)}:lua`;
  const sources = readSources(packageFolder);
  const { module, scripts, problems } = bundle(sources, command);
  if (sources.scripts.length === 0) {
    output.err(`error: there are no scripts in ${LUA_FOLDER} of ${packageFolder}\n`);
    return EXIT_WRONG;
  }
  if (problems.length > 0) {
    output.err(
      problemLines(problems)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return EXIT_WRONG;
  }
  const path = join(packageFolder, GENERATED);
  const fresh = existsSync(path) && readFileSync(path, 'utf8') === module;
  if (check && !fresh) {
    output.err(`error: ${GENERATED} is not what the scripts say; run '${command}' and check it in\n`);
    return EXIT_WRONG;
  }
  // An unchanged file keeps its time: nothing that watches it has to start.
  if (!fresh) writeFileSync(path, module);
  output.out(
    `${scripts.length} ${scripts.length === 1 ? 'script' : 'scripts'} in ${GENERATED}${fresh ? ', fresh' : ''}\n`,
  );
  return 0;
}

function packageName(packageFolder: string): string {
  const { name } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { name: string };
  return name;
}
