import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundle } from './bundle.ts';
import { problemLines } from './problem.ts';
import { sourcesOf } from './test-support/sources.ts';

test('the script of the README is right, and is called as it says', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const [, script = ''] = /```lua\n([^]*?)```/.exec(readme) ?? [];
  const owner =
    "local function is_owner(lease, token) return redis.call('HGET', lease, 'token') == token end";
  const { problems, scripts } = bundle(
    sourcesOf({ 'move-due.lua': script, 'include/owner.lua': owner }),
    'the command',
  );
  expect(problemLines(problems)).toEqual([]);
  const [{ header } = { header: undefined }] = scripts;
  const names = (list: 'keys' | 'args') =>
    [...(header?.[list].fixed ?? []), header?.[list].tail].flatMap((field) => field?.name ?? []);
  expect(readme).toContain(
    `\`moveDue({ keys: { ${names('keys').join(', ')} }, args: { ${names('args').join(', ')} } })\``,
  );
});
