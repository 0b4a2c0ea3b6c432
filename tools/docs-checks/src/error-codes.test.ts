import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tableBelow } from './markdown.ts';
import { WORKSPACE } from './pages.ts';

type ErrorCodes = Readonly<Record<string, { readonly retriable: boolean }>>;

/** Asked in a process of its own, as snippets are run: a tool imports nothing of the product. */
function errorCodes(): ErrorCodes {
  const program = "import { ERROR_CODES } from '@rs/core'; console.log(JSON.stringify(ERROR_CODES));";
  const args = ['--conditions=@rs/source', '--import', 'tsx', '--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: WORKSPACE, encoding: 'utf8' })) as ErrorCodes;
}

test('docs/errors.md explains every error code, and no other', () => {
  const rows = tableBelow(readFileSync(join(WORKSPACE, 'docs/errors.md'), 'utf8'), 'Codes');
  const documented = rows.map(([code, retriable]) => [code, retriable]);
  const expected = Object.entries(errorCodes()).map(([code, { retriable }]) => [
    `\`${code}\``,
    retriable ? 'yes' : 'no',
  ]);
  expect(documented).toEqual(expected);
  for (const [code, , meaning, advice] of rows) expect([code, meaning, advice]).not.toContain('');
});
