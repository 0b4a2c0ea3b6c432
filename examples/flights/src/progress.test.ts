import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { progressBar } from './progress.ts';

function drawOn(stream: PassThrough & { isTTY?: boolean }): string {
  const progress = progressBar(stream, 200);
  progress.update(200);
  progress.note('over');
  progress.stop();
  return String(stream.read() ?? '');
}

describe('progressBar', () => {
  test('draws on a terminal', () => {
    const written = drawOn(Object.assign(new PassThrough(), { isTTY: true, columns: 80 }));
    expect(written).toContain('flights ');
    expect(written).toContain('100% 200/200  over');
  });

  test('writes nothing but notes to a file or a pipe', () => {
    expect(drawOn(new PassThrough())).toBe('over\n');
    expect(drawOn(Object.assign(new PassThrough(), { isTTY: false }))).toBe('over\n');
  });
});
