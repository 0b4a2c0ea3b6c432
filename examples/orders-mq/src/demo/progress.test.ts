import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { showProgress } from './progress.ts';

function shownOn(stream: PassThrough & { isTTY?: boolean }): string {
  const progress = showProgress(stream, 200);
  progress.phase('killed worker-1');
  progress.update(200);
  progress.stop();
  return String(stream.read() ?? '');
}

describe('showProgress', () => {
  test('draws on a terminal', () => {
    const written = shownOn(Object.assign(new PassThrough(), { isTTY: true, columns: 120 }));
    expect(written).toContain('100% 200/200  killed worker-1');
  });

  test('writes one line per phase to a file or a pipe', () => {
    expect(shownOn(new PassThrough())).toBe('killed worker-1\n');
    expect(shownOn(Object.assign(new PassThrough(), { isTTY: false }))).toBe('killed worker-1\n');
  });
});
