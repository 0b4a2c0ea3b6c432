import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

export interface Progress {
  update(events: number): void;
  stop(): void;
}

/** A bar on a terminal; nothing where the output is a file or a pipe. */
export function progressBar(stream: Writable & { readonly isTTY?: boolean }, total: number): Progress {
  if (stream.isTTY !== true) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    stream,
    format: 'events {bar} {percentage}% {value}/{total}',
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  return { update: (events) => bar.update(events), stop: () => bar.stop() };
}
