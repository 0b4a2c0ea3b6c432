import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

/** The files that a file loads, itself included. */
function loaded(file: string, files = new Set<string>()): Set<string> {
  if (files.has(file)) return files;
  files.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']*)'/g)) {
    loaded(join(dirname(file), path), files);
  }
  return files;
}

const source = join(__dirname, '..');
const filesOf = (entry: string) => [...loaded(join(source, entry))].map((file) => relative(source, file));

test('who imports @rs/cep does not load @rs/cep/compat, nor the other way round', () => {
  expect(filesOf('index.ts').filter((file) => file.startsWith('compat'))).toEqual([]);
  expect(filesOf('compat/index.ts').filter((file) => !file.startsWith('compat'))).toEqual([
    'pattern/condition.ts',
  ]);
});
