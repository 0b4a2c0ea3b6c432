import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { progressBar } from './progress.ts';

function drawOn(stream: PassThrough & { isTTY?: boolean }): string {
  const progress = progressBar(stream, 200);
  progress.update(200);
  progress.stop();
  return String(stream.read() ?? '');
}

test('draws on a terminal', () => {
  const drawn = drawOn(Object.assign(new PassThrough(), { isTTY: true, columns: 80 }));
  expect(drawn).toContain('events ');
  expect(drawn).toContain('100% 200/200');
});

test('writes nothing to a file or a pipe', () => {
  expect(drawOn(new PassThrough())).toBe('');
  expect(drawOn(Object.assign(new PassThrough(), { isTTY: false }))).toBe('');
});
