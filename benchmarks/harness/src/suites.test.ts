import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { suitesIn } from './suites.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'suites-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a suite is a folder with a src/suite.ts; the harness is none', () => {
  for (const name of ['queue', 'memory', 'harness']) {
    mkdirSync(join(folder, name, 'src'), { recursive: true });
    writeFileSync(join(folder, name, 'src', 'suite.ts'), '');
  }
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'README.md'), '');
  expect(suitesIn(folder)).toEqual(['memory', 'queue']);
});
