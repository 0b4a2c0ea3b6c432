import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { progressBar } from './progress.ts';

function written(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const progress = progressBar(stream, 10);
  progress.update(5);
  progress.stop();
  return String(stream.read() ?? '');
}

test('a bar on a terminal only', () => {
  expect(written(true)).toContain('cases');
  expect(written(false)).toBe('');
});
