import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { Progress } from './run/suite.ts';

export interface ProgressBar {
  update(progress: Progress): void;
  stop(): void;
}

/** A bar on a terminal; nothing where the output is a file or a pipe. */
export function progressBar(stream: Writable & { readonly isTTY?: boolean }, seconds: number): ProgressBar {
  if (stream.isTTY !== true) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    stream,
    format: '{bar} {value}/{total} s, {doing}',
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(seconds, 0, { doing: 'starting' });
  return {
    update: ({ seconds: done, doing }) => bar.update(Math.floor(done), { doing }),
    stop: () => bar.stop(),
  };
}
